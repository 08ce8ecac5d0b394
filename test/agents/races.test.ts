import { describe, expect, it } from 'vitest';
import { held } from '../lifecycle/held-replies.ts';
import { breaksOff, responds } from '../support/responses-server/whole-replies.ts';
import { agentStage, asks, delegates, says, spawn, wait, write } from './cast.ts';
import { flow, ready, reports, runs } from './workflow-cast.ts';

const on = agentStage();

/** What a click says that resumes the workflow that ended last. */
async function resuming(): Promise<object> {
  const finished = (await on.of('workflow_event')).findLast(({ event }) => event === 'workflow_finished');
  const args = finished?.next_actions?.[0]?.args;
  return { type: 'run_action', command: 'ledgerline.resumeWorkflow', args };
}

describe('an answer over a child', () => {
  it('does not hold up what the model does after the end of it', async () => {
    const a = held(says('A.'));
    const b = held(says('B.'));
    const { turn } = await on.begin({
      Go: [
        asks(spawn('1', 'a')),
        says('Meanwhile.'),
        asks(spawn('2', 'b')),
        () => {
          b.release();
          return responds(says('B is at work.'));
        },
        says('Both.'),
      ],
      a: [a.reply],
      b: [b.reply],
    });
    await a.arrived;
    a.release();
    expect(await turn).toBe('completed');
  });
});

describe('a workflow that is resumed twice in a row', () => {
  it('goes on once, and nothing of it is cancelled', async () => {
    const one = held(says('Half.'));
    const window = await on.play({
      Go: runs([{ id: 'a', task: 'task a' }], 'Half done.'),
      'task a': [says('Half.'), one.reply],
    });
    expect(window.state).toBe('completed');
    const click = await resuming();
    await Promise.all([window.receive(click), window.receive(click)]);
    await one.arrived;
    await window.receive(click);
    one.release();
    await window.rests();
    expect((await on.of('user_message')).map(({ text }) => text)).toHaveLength(2);
    expect(await on.childOf('task a')).toMatchObject({ status: 'completed' });
  });
});

describe('a call of an id that an earlier turn used', () => {
  it('runs its own workflow', async () => {
    await on.cast({
      Go: [
        ...runs([{ id: 's', task: 'task one' }], 'One.', { name: 'one' }),
        ...runs([{ id: 's', task: 'task two' }], 'Two.', { name: 'two' }),
      ],
      'task one': ready('ok'),
      'task two': ready('ok'),
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
      Go: [asks(write('x', 'parent.txt')), ...delegates('a', 'Done.')],
      a: [asks(write('x', 'child.txt')), says('Written.')],
    });
    const window = await on.open();
    await window.turn('Go');
    const decision = { type: 'decide', target_id: 'x', decision_id: 'd1', action: 'resume' };
    await window.receive(decision);
    await on.question(window);
    await window.receive(decision);
    await window.receive({ ...decision, decision_id: 'd2' });
    const own = await on.logOf('a');
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
    await on.cast({ Go: delegates('a'), a: [a.reply, says('Again.')] });
    await on.closedOver(a);
    const requests = on.requests.length;
    const window = await on.open({}, 's1', { trusted: false });
    await on.act(window, 'resumeAgent', 'a');
    expect(window.failures).toMatchObject([{ for: 'run_action', kind: 'untrusted' }]);
    expect(await on.childOf('a')).toMatchObject({ status: 'detached' });
    expect(on.requests).toHaveLength(requests);
  });

  it('that has its end already changes nothing: an end is told once', async () => {
    await on.cast({
      Go: [...delegates('a', 'Done.'), says('Yes.')],
      a: [says('A.')],
    });
    const window = await on.open();
    await window.turn('Go');
    await on.act(window, 'resumeAgent', 'a');
    expect(await window.turn('And?', 'next')).toBe('completed');
    expect(await on.lives()).toEqual({ a: ['spawned', 'started', 'completed'] });
  });

  it('of a workflow is told that its workflow is what goes on', async () => {
    const a = held(says('A.'));
    await on.cast({ Go: [asks(flow([{ id: 's', task: 'a' }]))], a: [a.reply, says('Again.')] });
    await on.closedOver(a);
    const window = await on.open();
    await on.act(window, 'resumeAgent', 'a');
    expect(await on.childOf('a')).toMatchObject({ status: 'detached' });
    expect(window.failures).toMatchObject([{ for: 'run_action', kind: 'agent_of_workflow' }]);
  });
});

describe('a child that goes on with more input and begins anew because the model cannot be reached', () => {
  it('is given that input once', async () => {
    const down = breaksOff('Half');
    const window = await on.play({
      Go: [
        asks(spawn('1', 'a', { agent: 'explorer' })),
        asks(wait('w1')),
        on.naming('a', (id) => asks(['s', 'send_input', { id, text: 'And b?' }])),
        asks(wait('w2')),
        says('Both.'),
      ],
      a: [says('A.'), down, down, says('A again.'), says('B.'), says('B again.')],
    });
    expect(window.state).toBe('completed');
    expect(await on.childOf('a')).toMatchObject({ status: 'completed', summary: 'B.' });
    expect(await on.promptsOf('a')).toEqual(['a', 'And b?']);
  });
});

describe('a workflow that waits for an answer', () => {
  it('is not resumed over its question', async () => {
    const window = await on.play({
      Go: runs([{ id: 'a', task: 'task a' }], 'Done.'),
      'task a': [reports('held', 'Which?'), says('Which?'), ...ready('Ok.')],
    });
    expect(window.state).toBe('waiting');
    await window.receive(await resuming());
    const refused = await window.until((message) => message.type === 'failure');
    expect(refused).toMatchObject({
      kind: 'workflow_asks',
      next_actions: [{ command: 'ledgerline.revealInChat' }],
    });
    await window.decide('w', 'resume', { result: 'This one.' });
    expect(await window.rests()).toBe('completed');
    expect(await on.of('user_message')).toHaveLength(1);
  });
});
