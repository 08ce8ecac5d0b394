import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { held } from '../lifecycle/held-replies.ts';
import { agentStage, asks, delegates, says, spawn, wait } from './cast.ts';
import { flow, ready, resultOf, runs } from './workflow-cast.ts';

const on = agentStage();

describe('an end that cannot be recorded', () => {
  it('is a visible failure, and nobody is told of the end', async () => {
    const a = held(says('A.'));
    await on.cast({ Go: delegates('a', 'Never.'), a: [a.reply] });
    const window = await on.open();
    await window.send('Go');
    await a.arrived;
    await window.call('w', 'running');
    await rm(join(on.place.storage, 'sessions', 's1.jsonl'));
    const before = on.requests.length;
    a.release();
    await window.until(
      (message) => message.type === 'failure' || (message.type === 'notice' && message.level !== 'info'),
    );
    await window.rests();
    expect(on.requests).toHaveLength(before);
    const told = window.messages.flatMap((message) => (message.type === 'append' ? message.items : []));
    expect(told.some((item) => item.type === 'subagent_event' && item.data['event'] === 'finished')).toBe(
      false,
    );
  });
});

describe('a session that another window takes over', () => {
  it('leaves no child running behind it, and each is detached in the new one', async () => {
    const a = held(says('A.'));
    await on.cast({ Go: delegates('a'), a: [a.reply] });
    const first = await on.open();
    await first.send('Go');
    await a.arrived;
    const second = await on.open();
    await second.receive({ type: 'take_over' });
    await first.rests();
    expect((await on.lives())['a']?.at(-1)).toBe('detached');
    expect((await on.childEvents()).filter(({ status }) => status === 'detached')).toHaveLength(1);
    await second.receive({
      type: 'run_action',
      command: 'ledgerline.discardAgent',
      args: [{ subagent_id: (await on.childOf('a')).subagent_id }],
    });
    expect(await on.childOf('a')).toMatchObject({ status: 'closed' });
  });
});

describe('two calls that wait for one child', () => {
  it('are told of its end once between them', async () => {
    const window = await on.play({
      Go: [asks(spawn('1', 'a')), asks(wait('w1'), wait('w2')), says('Done.')],
      a: [says('The ANSWER.')],
    });
    expect(window.state).toBe('completed');
    const said = JSON.stringify([await on.outputOf('w1'), await on.outputOf('w2')]);
    expect(said.split('The ANSWER.')).toHaveLength(2);
    expect(JSON.stringify(on.requests.at(-1)?.input).split('The ANSWER.')).toHaveLength(2);
  });

  it('in one breath with what they wait for wait for it', async () => {
    const window = await on.play({ Go: [asks(spawn('1', 'a'), wait('w')), says('Done.')], a: [says('A.')] });
    expect(window.state).toBe('completed');
    expect(await on.outputOf('w')).toMatchObject({ agents: [{ status: 'completed', summary: 'A.' }] });
  });

  it('until a time that is up, cancel nobody', async () => {
    const a = held(says('A.'));
    const { window, turn } = await on.begin({
      Go: [asks(spawn('1', 'a')), asks(wait('w1', { timeout_ms: 50 })), asks(wait('w2')), says('Done.')],
      a: [a.reply],
    });
    await window.call('w1', 'succeeded');
    expect(await on.outputOf('w1')).toEqual({
      agents: [expect.objectContaining({ status: 'running' })],
    });
    a.release();
    expect(await turn).toBe('completed');
    expect(await on.outputOf('w2')).toMatchObject({ agents: [{ status: 'completed', summary: 'A.' }] });
  });
});

describe('a fork of a session with children', () => {
  it('knows what it was told of them, and has none', async () => {
    await on.cast({
      Go: [...delegates('a', 'Done.'), asks(['l', 'list_agents', {}]), says('None.')],
      a: [says('A.')],
    });
    const window = await on.open();
    await window.turn('Go');
    await window.receive({ type: 'fork' });
    expect(await window.turn('Which agents?', 'forked')).toBe('completed');
    const result = window.messages
      .flatMap((message) => (message.type === 'append' ? message.items : []))
      .findLast((item) => item.type === 'tool_result');
    expect(result?.data['output']).toBe('{"agents":[]}');
  });
});

const fifty = Array.from({ length: 50 }, (_, index) => ({ id: `s${index}`, task: `task ${index}` }));
const cast = Object.fromEntries(fifty.map(({ task }) => [task, ready('ok')]));

describe('wide and deep workflows', () => {
  it('of 50 steps at once complete', async () => {
    const window = await on.play({ Go: runs(fifty, 'Done.'), ...cast }, { 'subagents.maxRunning': 16 });
    expect(window.state).toBe('completed');
    expect(await resultOf(on)).toMatchObject({ ok: true, status: 'completed' });
  }, 60_000);

  it('of 50 steps in a row complete in their order', async () => {
    const steps = fifty.map((step, at) => ({ ...step, depends_on: at === 0 ? [] : [`s${at - 1}`] }));
    const window = await on.play({ Go: runs(steps, 'Done.'), ...cast });
    expect(window.state).toBe('completed');
    expect(await resultOf(on)).toMatchObject({ ok: true, status: 'completed' });
    const started = (await on.of('workflow_event')).filter(({ event }) => event === 'step_started');
    expect(started.map(({ step_id }) => step_id)).toEqual(steps.map(({ id }) => id));
  }, 60_000);
});

const tries = (name: string) => [
  asks(
    ['x', 'write_file', { path: `${name}.txt`, content: 'x' }],
    ['y', 'run_command', { command: `touch ${name}.command` }],
  ),
  says(name),
];

describe('an explorer', () => {
  it('writes nothing by any tool, nor through others that it hands work to', async () => {
    const steps = [{ id: 's', task: 'step', agent: 'worker', permission_mode: 'auto' }];
    const window = await on.play(
      {
        Go: delegates('a', 'Done.', { agent: 'explorer' }),
        a: [asks(spawn('z', 'below', { agent: 'worker' }), flow(steps)), asks(wait('v')), ...tries('a')],
        below: tries('below'),
        step: tries('step'),
      },
      { permissionMode: 'auto', 'subagents.maxDepth': 3 },
    );
    expect(window.state).toBe('completed');
    expect(await on.childOf('a')).toMatchObject({ status: 'completed' });
    expect(await readdir(on.place.workspace)).toEqual([]);
  });
});

describe('a child whose log cannot be written', () => {
  it('fails with the reason when it is resumed, and its log stays as it is', async () => {
    const a = held(says('A.'));
    await on.cast({ Go: delegates('a'), a: [a.reply, says('Never.')] });
    await on.closedOver(a);
    const { child_session_id } = await on.childOf('a');
    const path = join(on.place.storage, 'sessions', `${child_session_id}.jsonl`);
    const damaged = (await readFile(path, 'utf8')).split('\n').with(2, '{broken').join('\n');
    await writeFile(path, damaged);
    const window = await on.open();
    await on.act(window, 'resumeAgent', 'a');
    await on.childEvent(window, 'finished');
    expect(await on.childOf('a')).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('Line 3 of the log is damaged'),
    });
    expect(await readFile(path, 'utf8')).toBe(damaged);
  });
});
