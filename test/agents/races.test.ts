import { describe, expect, it } from 'vitest';
import { held } from '../lifecycle/held-replies.ts';
import { CUT, events, stream, streamOf } from '../support/responses-server/reply.ts';
import { responseEvents, unfinishedEvents } from '../support/responses-server/response-events.ts';
import { turnsWith } from './turns.ts';
import { asks, childOf, lives, says, spawn, stage, wait, type Window } from './cast.ts';

const on = stage();

const write = (call_id: string, path: string) =>
  [call_id, 'write_file', { path, content: `by ${call_id}` }] as const;

async function act(window: Window, command: string, task: string): Promise<void> {
  const { subagent_id } = await childOf(on, task);
  const args = [{ session_id: 's1', subagent_id }];
  await window.receive({ type: 'run_action', command: `ledgerline.${command}`, args });
}

function asked(window: Window): Promise<unknown> {
  return window.until(
    (message) => message.type === 'children' && message.items.some((one) => one.questions.length > 0),
  );
}

describe('an answer over a child', () => {
  it('does not hold up what the model does after the end of it', async () => {
    const a = held(says('A.'));
    const b = held(says('B.'));
    await on.cast({
      Go: [
        asks(spawn('1', 'a')),
        says('Meanwhile.'),
        asks(spawn('2', 'b')),
        () => {
          b.release();
          return streamOf(responseEvents(says('B is at work.')));
        },
        says('Both.'),
      ],
      a: [a.reply],
      b: [b.reply],
    });
    const window = await on.open();
    const turn = window.turn('Go');
    await a.arrived;
    a.release();
    expect(await turn).toBe('completed');
  }, 10_000);
});

describe('a workflow that is resumed twice in a row', () => {
  it('goes on once, and nothing of it is cancelled', async () => {
    const one = held(says('Half.'));
    const workflow = { name: 'W', steps: [{ id: 'a', task: 'task a' }] };
    await on.cast({
      Go: [asks(['w', 'run_workflow', { workflow }]), says('Half done.')],
      'task a': [says('Half.'), one.reply],
    });
    const window = await on.open();
    expect(await window.turn('Go')).toBe('completed');
    const finished = (await on.of('workflow_event')).findLast(({ event }) => event === 'workflow_finished');
    const args = finished?.next_actions?.[0]?.args;
    const click = { type: 'run_action', command: 'ledgerline.resumeWorkflow', args };
    await Promise.all([window.receive(click), window.receive(click)]);
    await one.arrived;
    await window.receive(click);
    one.release();
    await window.rests();
    expect((await on.of('user_message')).map(({ text }) => text)).toHaveLength(2);
    expect(await childOf(on, 'task a')).toMatchObject({ status: 'completed' });
  }, 10_000);
});

const spec = (name: string) => ({ name, steps: [{ id: 's', task: `task ${name}` }] });

describe('a call of an id that an earlier turn used', () => {
  it('runs its own workflow', async () => {
    const ready = [
      asks(['r', 'report_checkpoint', { status: 'checkpoint_ready', summary: 'ok' }]),
      says('ok'),
    ];
    await on.cast({
      Go: [
        asks(['w', 'run_workflow', { workflow: spec('one') }]),
        says('One.'),
        asks(['w', 'run_workflow', { workflow: spec('two') }]),
        says('Two.'),
      ],
      'task one': ready,
      'task two': ready,
    });
    const window = await on.open();
    await window.turn('Go');
    await window.turn('And now two');
    const results = (await on.of('tool_result')).map(({ output }) => JSON.parse(output ?? '{}'));
    expect(results).toMatchObject([
      { ok: true, name: 'one' },
      { ok: true, name: 'two' },
    ]);
  });
});

describe('a decision about a call of the parent', () => {
  it('that is sent again never decides a call of a child that has the same id', async () => {
    await on.cast({
      Go: [asks(write('x', 'parent.txt')), asks(spawn('1', 'a')), asks(wait('w')), says('Done.')],
      a: [asks(write('x', 'child.txt')), says('Written.')],
    });
    const window = await on.open();
    await window.turn('Go');
    const decision = { type: 'decide', target_id: 'x', decision_id: 'd1', action: 'resume' };
    await window.receive(decision);
    await asked(window);
    await window.receive(decision);
    await window.receive({ ...decision, decision_id: 'd2' });
    const own = await on.events((await childOf(on, 'a')).child_session_id);
    expect(own.filter(({ type }) => type === 'tool_call_decision')).toEqual([]);
    await window.stop();
    await window.rests();
    expect(await on.read('parent.txt')).toBe('by x');
    expect(await on.read('child.txt')).toBeNull();
  });
});

describe('a person who resumes a child', () => {
  it('in a workspace that is not trusted is told why not, and nothing runs', async () => {
    const a = held(says('A.'));
    await on.cast({ Go: [asks(spawn('1', 'a')), asks(wait('w'))], a: [a.reply, says('Again.')] });
    const before = await on.open();
    await before.send('Go');
    await a.arrived;
    await before.close();
    const requests = on.requests.length;
    const window = await on.open({}, 's1', { trusted: false });
    await act(window, 'resumeAgent', 'a');
    expect(window.failures).toMatchObject([{ for: 'run_action', kind: 'untrusted' }]);
    expect(await childOf(on, 'a')).toMatchObject({ status: 'detached' });
    expect(on.requests).toHaveLength(requests);
  });

  it('that has its end already changes nothing: an end is told once', async () => {
    await on.cast({
      Go: [asks(spawn('1', 'a')), asks(wait('w')), says('Done.'), says('Yes.')],
      a: [says('A.')],
    });
    const window = await on.open();
    await window.turn('Go');
    await act(window, 'resumeAgent', 'a');
    expect(await window.turn('And?', 'next')).toBe('completed');
    expect(await lives(on)).toEqual({ a: ['spawned', 'started', 'completed'] });
  });

  it('of a workflow is told that its workflow is what goes on', async () => {
    const a = held(says('A.'));
    const workflow = { name: 'W', steps: [{ id: 's', task: 'a' }] };
    await on.cast({ Go: [asks(['w', 'run_workflow', { workflow }])], a: [a.reply, says('Again.')] });
    const before = await on.open();
    await before.send('Go');
    await a.arrived;
    await before.close();
    const window = await on.open();
    await act(window, 'resumeAgent', 'a');
    expect(await childOf(on, 'a')).toMatchObject({ status: 'detached' });
    expect(window.failures).toMatchObject([{ for: 'run_action', kind: 'agent_of_workflow' }]);
  });
});

describe('a child that goes on with more input and begins anew because the model cannot be reached', () => {
  it('is given that input once', async () => {
    const id = async (): Promise<string> => (await childOf(on, 'a')).subagent_id;
    const down = stream([events(unfinishedEvents({ text: 'Half' })), CUT]);
    await on.cast({
      Go: [
        asks(spawn('1', 'a', { agent: 'explorer' })),
        asks(wait('w1')),
        async () => streamOf(responseEvents(asks(['s', 'send_input', { id: await id(), text: 'And b?' }]))),
        asks(wait('w2')),
        says('Both.'),
      ],
      a: [says('A.'), down, down, says('A again.'), says('B.'), says('B again.')],
    });
    const window = await on.open();
    expect(await window.turn('Go')).toBe('completed');
    const last = await childOf(on, 'a');
    expect(last).toMatchObject({ status: 'completed', summary: 'B.' });
    expect(await turnsWith(on, last.child_session_id)).toEqual(['a', 'And b?']);
  }, 20_000);
});

const report = (status: string) => asks(['r', 'report_checkpoint', { status, summary: status }]);

describe('a workflow that waits for an answer', () => {
  it('is not resumed over its question', async () => {
    const workflow = { name: 'W', steps: [{ id: 'a', task: 'task a' }] };
    await on.cast({
      Go: [asks(['w', 'run_workflow', { workflow }]), says('Done.')],
      'task a': [report('held'), says('Which?'), report('checkpoint_ready'), says('Ok.')],
    });
    const window = await on.open();
    expect(await window.turn('Go')).toBe('waiting');
    const finished = (await on.of('workflow_event')).findLast(({ event }) => event === 'workflow_finished');
    const args = finished?.next_actions?.[0]?.args;
    await window.receive({ type: 'run_action', command: 'ledgerline.resumeWorkflow', args });
    const refused = await window.until((message) => message.type === 'failure');
    expect(refused).toMatchObject({
      kind: 'workflow_asks',
      next_actions: [{ command: 'ledgerline.revealInChat' }],
    });
    await window.decide('w', 'resume', { result: 'This one.' });
    expect(await window.rests()).toBe('completed');
    expect(await on.of('user_message')).toHaveLength(1);
  }, 10_000);
});
