import { describe, expect, it } from 'vitest';
import { hangs, held } from '../lifecycle/held-replies.ts';
import { agentStage, asks, says } from './cast.ts';
import {
  flow,
  heldAtSecond,
  holds,
  inLine,
  ready,
  reports,
  resultOf,
  runs,
  toldOf,
} from './workflow-cast.ts';

const on = agentStage();

/** What is on record of a step that is ready at once. */
const stepReady = (id: string) => [
  `step_scheduled ${id}`,
  `step_started ${id} running`,
  `checkpoint_decided ${id} checkpoint_ready`,
];

describe('a workflow', () => {
  it('that every step of which is ready is completed, with its artifacts hashed', async () => {
    await on.write('out.txt', 'made');
    const window = await on.play({
      Go: runs(inLine('a', 'b'), 'Done.'),
      'do a': ready('A is there.', { artifacts: ['out.txt'], verification: ['looked'] }),
      'do b': ready('B is there.'),
    });
    expect(window.state).toBe('completed');
    expect(await resultOf(on)).toMatchObject({
      ok: true,
      status: 'completed',
      completion_ready: true,
      partial_outcome_ready: false,
      steps: [
        {
          id: 'a',
          status: 'checkpoint_ready',
          summary: 'A is there.',
          verification: ['looked'],
          artifacts: [{ path: 'out.txt', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
        },
        { id: 'b', status: 'checkpoint_ready' },
      ],
    });
    expect(await toldOf(on)).toEqual([
      'workflow_started',
      ...stepReady('a'),
      ...stepReady('b'),
      'workflow_finished completed',
    ]);
    // Told through the result of the workflow, and not by themselves.
    expect(await on.lives()).toEqual({
      'do a': ['spawned', 'started', 'completed'],
      'do b': ['spawned', 'started', 'completed'],
    });
  });

  it('with mistakes is refused with all of them at once, and nothing starts', async () => {
    const steps = [
      { id: 'a', task: 'x', depends_on: ['b'] },
      { id: 'b', task: 'x', depends_on: ['a'] },
      { id: 'b', task: '' },
      { id: 'c', task: 'x', depends_on: ['nobody'] },
    ];
    await on.cast({ Go: runs(steps, 'I see.') });
    const window = await on.open();
    await window.turn('Go');
    const [refusal] = await on.of('tool_result');
    for (const word of ['nobody', '"b"', 'task', 'a']) expect(refusal?.error?.message).toContain(word);
    expect(refusal?.error?.message).toMatch(/cycle|circle/i);
    expect(await on.of('workflow_event')).toEqual([]);
  });

  it('in which one step only fails in part is partial, and what depends on it does not run', async () => {
    await on.cast({
      Go: runs(inLine('a', 'b'), 'Half.'),
      'do a': [says('I forgot to report.')],
    });
    const window = await on.open();
    await window.turn('Go');
    expect(await resultOf(on)).toMatchObject({
      ok: false,
      status: 'partial',
      completion_ready: false,
      partial_outcome_ready: true,
      steps: [
        { id: 'a', status: 'partial' },
        { id: 'b', status: 'not_run' },
      ],
    });
  });

  it('of which nothing is usable is failed, and one that ran out of time is timed out', async () => {
    await on.cast({
      Go: runs(inLine('a'), 'No.'),
      'do a': [reports('failed', 'It cannot be done.'), says('Sorry.')],
      Again: runs([{ id: 'a', task: 'be slow' }], 'Too late.', { timeout_ms: 400 }),
      'be slow': [hangs('x')],
    });
    const window = await on.open();
    await window.turn('Go');
    expect(await resultOf(on)).toMatchObject({ ok: false, status: 'failed' });
    const second = await on.open({}, 's2');
    await second.turn('Again');
    const finished = (await on.events('s2')).findLast(
      (event) => event.type === 'workflow_event' && event.data.event === 'workflow_finished',
    );
    expect(finished?.data).toMatchObject({ status: 'timed_out', ok: false });
  });

  it('runs what may run at once, and never two that write the same', async () => {
    const a = held(reports('checkpoint_ready', 'A'));
    const c = held(reports('checkpoint_ready', 'C'));
    const steps = [
      { id: 'a', task: 'do a', write_set: ['src/**'] },
      { id: 'b', task: 'do b', write_set: ['src/x.ts'] },
      { id: 'c', task: 'do c', write_set: ['docs/**'] },
    ];
    const { turn } = await on.begin({
      Go: runs(steps, 'Done.'),
      'do a': [a.reply, says('A')],
      'do b': ready('B'),
      'do c': [c.reply, says('C')],
    });
    await Promise.all([a.arrived, c.arrived]);
    expect(await toldOf(on)).not.toContain('step_started b running');
    a.release();
    c.release();
    expect(await turn).toBe('completed');
    const order = await toldOf(on);
    expect(order.indexOf('step_started b running')).toBeGreaterThan(
      order.indexOf('checkpoint_decided a checkpoint_ready'),
    );
    expect(await resultOf(on)).toMatchObject({ ok: true });
  });

  it('that is stopped is cancelled with all its children', async () => {
    const a = held(says('A'));
    await on.cast({ Go: [asks(flow(inLine('a')))], 'do a': [a.reply] });
    const window = await on.open();
    await window.send('Go');
    await a.arrived;
    await window.stop();
    expect(await window.rests()).toBe('interrupted');
    expect((await toldOf(on)).at(-1)).toBe('workflow_finished cancelled');
    expect(await on.lives()).toEqual({ 'do a': ['spawned', 'started', 'cancelled'] });
  });
});

describe('a step that holds', () => {
  it('is asked like an approval, and the workflow goes on from the answer', async () => {
    const window = await on.play({
      Go: runs(inLine('a', 'b'), 'All done.'),
      'do a': holds('Which colour?', ready('Painted it red.')),
      'do b': ready('B'),
    });
    expect(window.state).toBe('waiting');
    expect((await toldOf(on)).slice(-2)).toEqual(['step_held a held', 'workflow_finished held']);
    const [call] = await on.of('tool_call');
    const pending = window.messages.findLast((message) => message.type === 'turn_state');
    expect(pending).toMatchObject({ pending: [{ call_id: call?.call_id, name: 'run_workflow' }] });
    await window.decide('w', 'resume', { result: 'Red.' });
    expect(await window.rests()).toBe('completed');
    expect(await resultOf(on)).toMatchObject({ ok: true, status: 'completed' });
    expect(await on.lives()).toEqual({
      'do a': ['spawned', 'started', 'completed', 'continued', 'started', 'completed'],
      'do b': ['spawned', 'started', 'completed'],
    });
  });

  it.each([
    ['unreadable', null],
    ['another', { name: 'Other', steps: [{ id: 'z', task: 'do z' }] }],
  ])('goes on as it was started when its template is %s by then', async (_, later) => {
    const file = '.ledgerline/workflows/paint.json';
    const parameters = { what: { type: 'string' } };
    const steps = [
      { id: 'a', task: 'paint ${what}' },
      { id: 'b', task: 'do b', depends_on: ['a'] },
    ];
    await on.write(file, JSON.stringify({ name: 'Paint', parameters, steps }));
    const window = await on.play({
      Go: [asks(['w', 'run_workflow', { template: 'paint', parameters: { what: 'it' } }]), says('All done.')],
      'paint it': holds('Which colour?', ready('Painted it red.')),
      'do b': ready('B'),
    });
    expect(window.state).toBe('waiting');
    await on.write(file, later === null ? '' : JSON.stringify(later));
    await window.decide('w', 'resume', { result: 'Red.' });
    expect(await window.rests()).toBe('completed');
    expect(await resultOf(on)).toMatchObject({ ok: true, steps: [{ id: 'a' }, { id: 'b' }] });
  });

  it('tells the model how far it came when a person says something else instead', async () => {
    const window = await on.play({
      Go: runs(inLine('z', 'a'), 'I see.'),
      'do z': ready('Z'),
      'do a': holds('Which colour?'),
    });
    expect(window.state).toBe('waiting');
    expect(await window.turn('Never mind.', 'c2')).toBe('completed');
    const [told] = await on.of('tool_result');
    expect(told?.error).toEqual({
      kind: 'cancelled',
      message:
        'The turn ended before the person answered what the workflow asks, so it stays as it is. It can be resumed later.',
    });
    expect(await resultOf(on)).toMatchObject({
      status: 'partial',
      partial_outcome_ready: true,
      steps: [{ status: 'checkpoint_ready', summary: 'Z' }, { status: 'held' }],
    });
  });

  it('is asked again after a restart, and goes on from there without repeating what is finished', async () => {
    await on.cast({
      Go: runs(inLine('z', 'a'), 'All done.'),
      'do z': ready('Z'),
      'do a': [reports('needs_orchestrator', 'Which?'), says('?'), ...ready('A')],
    });
    const before = await on.open();
    expect(await before.turn('Go')).toBe('waiting');
    expect((await toldOf(on)).at(-1)).toBe('workflow_finished partial');
    await before.close();
    const window = await on.open();
    expect(window.state).toBe('waiting');
    await window.decide('w', 'resume', { result: 'The first.' });
    expect(await window.rests()).toBe('completed');
    expect((await toldOf(on)).filter((line) => line === 'step_started z running')).toHaveLength(1);
    expect(await resultOf(on)).toMatchObject({ ok: true });
  });
});

describe('an interrupted workflow', () => {
  it('ends on record when its window closes, and a person goes on with it without repeating what is finished', async () => {
    const b = held(says('B'));
    await on.cast(heldAtSecond(b));
    await on.closedOver(b);
    expect((await toldOf(on)).at(-1)).toMatch(/^workflow_finished/);
    const window = await on.open();
    const [started] = await on.of('workflow_event');
    await window.receive({
      type: 'run_action',
      command: 'ledgerline.resumeWorkflow',
      args: [{ session_id: 's1', workflow_id: started?.workflow_id }],
    });
    expect(await window.rests()).toBe('completed');
    expect((await toldOf(on)).filter((line) => line === 'step_started a running')).toHaveLength(1);
    const calls = await on.of('tool_call');
    expect(calls.at(-1)).toMatchObject({ name: 'run_workflow', called_by: 'user' });
    expect((await on.of('user_message')).at(-1)?.text).toBe(`Workflow: go on with ${started?.name}`);
    const last = (await on.of('workflow_event')).at(-1);
    expect(last).toMatchObject({ event: 'workflow_finished', status: 'completed', ok: true });
  });

  it('by a template that a person picked runs before the model is asked', async () => {
    await on.write(
      '.ledgerline/workflows/greet.json',
      JSON.stringify({
        name: 'Greet',
        parameters: { who: { type: 'string' } },
        steps: [{ id: 'hi', task: 'Greet ${who}.' }],
      }),
    );
    await on.cast({
      'Workflow: greet (who: "Ada")': [says('Greeted.')],
      'Greet Ada.': ready('Hello, Ada.'),
    });
    const window = await on.open();
    await window.receive({
      type: 'run_workflow',
      client_turn_id: 'c9',
      workflow: { template: 'greet', parameters: { who: 'Ada' } },
    });
    expect(await window.rests()).toBe('completed');
    expect((await on.of('workflow_event')).at(-1)).toMatchObject({ status: 'completed' });
    const first = on.requests.findIndex((request) =>
      JSON.stringify(request.input).includes('Workflow: greet'),
    );
    expect(JSON.stringify(on.requests[first]?.input)).toContain('function_call_output');
  });

  it('with wrong parameters is refused with all of them', async () => {
    await on.cast({});
    const window = await on.open();
    await window.receive({ type: 'run_workflow', client_turn_id: 'c9', workflow: { steps: [] } });
    expect(window.failures).toMatchObject([{ for: 'run_workflow', kind: 'invalid_workflow' }]);
  });
});
