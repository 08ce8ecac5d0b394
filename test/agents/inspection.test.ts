import { describe, expect, it } from 'vitest';
import { diagnoseSession } from '../../src/app/inspect.ts';
import { LiveInspection } from '../../src/app/live-inspection.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import { DiagnosisFold, type Diagnosis } from '../../src/runtime/inspection/diagnosis.ts';
import { inEnglish } from '../../src/runtime/inspection/spoken-words.ts';
import { hangs, held } from '../lifecycle/held-replies.ts';
import { drawn } from '../support/drawn-tree.ts';
import { SOUND } from '../support/log-facts.ts';
import { agentStage, asks, delegates, says, spawn, suspensionId, wait, write } from './cast.ts';
import { heldAtSecond, holds, inLine, ready, runs } from './workflow-cast.ts';

/** Logs that the program itself made, looked at as a person would. */
const on = agentStage();

const OF_CHILDREN = [
  'subagent_timeouts',
  'open_children',
  'subagent_delivery',
  'terminal_evidence',
  'staleness',
  'workflow_gaps',
];

function concerns({ checks }: Diagnosis, ids = OF_CHILDREN): Readonly<Record<string, string>> {
  const found = checks.filter(({ id, status }) => status !== 'ok' && ids.includes(id));
  return Object.fromEntries(found.map(({ id, message }) => [id, message]));
}

/** What is wrong with children and workflows at any point of a log while its process lives, each thing once. */
function concernsOnTheWay(log: readonly LogEvent[]): readonly string[] {
  const fold = new DiagnosisFold('s1');
  const all = log.flatMap((event) => {
    fold.push(event);
    const now = fold.finish({ ...SOUND, lease: 'held' });
    return Object.entries(concerns(now)).map(([id, message]) => `${id}: ${message}`);
  });
  return [...new Set(all)];
}

async function tree(id: string): Promise<readonly string[]> {
  const inspection = new LiveInspection(on.place.storage, 's1');
  await inspection.lookAtLease();
  await inspection.readOn();
  const lines = drawn(inspection.tree(), id);
  await inspection.close();
  return lines;
}

async function firstTurn(): Promise<string> {
  const [prompt] = await on.of('user_message');
  return prompt?.turn_id ?? '';
}

describe('the log of children', () => {
  it('that did their work is sound at every point, and is shown with how the model was told', async () => {
    const b = held(says('B is there.'));
    const { window, turn } = await on.begin({
      Go: [asks(spawn('1', 'do a'), spawn('2', 'do b')), asks(wait('3', {})), says('Both are there.')],
      'do a': [says('A is there.')],
      'do b': [b.reply],
    });
    await b.arrived;
    await window.until(
      (message) =>
        message.type === 'append' &&
        message.items.some(({ data }) => data['call_id'] === '3' && data['to'] === 'running'),
    );
    b.release();
    expect(await turn).toBe('completed');
    expect(concernsOnTheWay(await on.events())).toEqual([]);
    const id = `turn:${await firstTurn()}`;
    expect((await tree(id)).slice(-2)).toEqual(['  [completed] do a', '  [completed] do b']);
    const { subagent_id } = await on.childOf('do b');
    const inspection = new LiveInspection(on.place.storage, 's1');
    await inspection.readOn();
    const node = inspection.tree().get(`${id}/subagent:${subagent_id}`);
    const result = (await on.events()).find(
      (event) => event.type === 'tool_result' && (event.data.delivers ?? []).length > 0,
    );
    expect(node?.evidence.map(inEnglish)).toContain(`Told to the model at seq ${result?.seq}.`);
    await inspection.close();
  });

  it('of a turn that was stopped says why each ended, and that the next one told it', async () => {
    const a = held(says('Never.'));
    await on.cast({ Go: [asks(spawn('1', 'do a')), hangs('Meanwhile'), says('I see.')], 'do a': [a.reply] });
    const window = await on.stoppedOver(a);
    expect(await window.turn('And?')).toBe('completed');
    expect(concernsOnTheWay(await on.events())).toEqual([]);
    expect(await tree(`turn:${await firstTurn()}`)).toContain('  [cancelled] do a');
  });

  it('that a window left behind offers to resume or discard them, until somebody does', async () => {
    const a = held(says('Never.'));
    await on.cast({ Go: delegates('do a'), 'do a': [a.reply] });
    const before = await on.open();
    await before.send('Go');
    await a.arrived;
    const alive = await diagnoseSession(on.place.storage, 's1');
    expect(alive.checks.find(({ id }) => id === 'open_children')).toMatchObject({
      status: 'ok',
      message: '1 subagent is not over.',
    });
    await before.close();
    const left = await diagnoseSession(on.place.storage, 's1');
    const { subagent_id, child_session_id } = await on.childOf('do a');
    expect(concerns(left)).toEqual({ open_children: '1 subagent is detached: resume or discard it.' });
    const [resume, open, discard] = left.checks.find(({ id }) => id === 'open_children')!.next_actions;
    expect([resume, open, discard]).toEqual([
      { label: 'Resume', command: 'ledgerline.resumeAgent', args: [{ session_id: 's1', subagent_id }] },
      { label: 'Open transcript', command: 'ledgerline.openAgent', args: [child_session_id] },
      { label: 'Discard', command: 'ledgerline.discardAgent', args: [{ session_id: 's1', subagent_id }] },
    ]);
    const window = await on.open();
    await window.receive({ type: 'run_action', command: discard!.command, args: discard!.args });
    expect(concerns(await diagnoseSession(on.place.storage, 's1'))).toEqual({});
    expect(await tree(`turn:${await firstTurn()}`)).toContain('  [closed] do a');
  });

  it('that asks a person lists what it asks, in the parent’s log', async () => {
    await on.cast({
      Go: delegates('do a', 'Done.', { agent: 'worker' }),
      'do a': [asks(write('x', 'a.txt')), says('Written.')],
    });
    const window = await on.open();
    await window.send('Go');
    const id = suspensionId(await on.question(window));
    await on.childEvent(window, 'waiting');
    const found = await diagnoseSession(on.place.storage, 's1');
    expect(concerns(found, [...OF_CHILDREN, 'pending_decisions'])).toEqual({
      pending_decisions: '1 question of a subagent waiting for a person.',
    });
    const pending = found.checks.find((one) => one.id === 'pending_decisions');
    expect(pending?.details).toMatchObject([{ name: 'write_file', suspension: { id, reason: 'approval' } }]);
    expect(await tree(`turn:${await firstTurn()}`)).toContain('  [waiting] do a worker, write_file');
    await window.decide(id, 'resume');
    expect(await window.rests()).toBe('completed');
    expect(concernsOnTheWay(await on.events())).toEqual([]);
  });
});

/** The workflow of two steps, as the tree shows it once all of it is done. */
const COMPLETED = ['[completed] Flow 2 steps', ...stepDone('a'), ...stepDone('b')];

function stepDone(id: string): readonly string[] {
  return [`  [completed] ${id}`, `    [completed] do ${id}`];
}

describe('the log of a workflow', () => {
  it('that was held and answered is sound at every point, with each child under its step', async () => {
    await on.write('out.txt', 'made');
    const window = await on.play({
      Go: runs(inLine('a', 'b'), 'All done.'),
      'do a': holds('Which colour?', ready('Red.', { artifacts: ['out.txt'] })),
      'do b': ready('B'),
    });
    expect(window.state).toBe('waiting');
    const [{ workflow_id } = { workflow_id: '' }] = await on.of('workflow_event');
    const id = `turn:${await firstTurn()}/workflow:${workflow_id}`;
    expect(await tree(id)).toEqual([
      '[held] Flow 2 steps',
      '  [held] a',
      '    [completed] do a',
      '  [not_run] b',
    ]);
    await window.decide('w', 'resume', { result: 'Red.' });
    expect(await window.rests()).toBe('completed');
    expect(concernsOnTheWay(await on.events())).toEqual([]);
    expect(await tree(id)).toEqual(COMPLETED);
    const inspection = new LiveInspection(on.place.storage, 's1');
    await inspection.readOn();
    const words = inspection.tree().get(`${id}/step:a`)?.evidence.map(inEnglish);
    expect(words?.find((line) => line.startsWith('Artefact'))).toMatch(
      /^Artefact out\.txt: SHA-256 [0-9a-f]{64}$/u,
    );
    await inspection.close();
  });

  it('that a window left behind ends on record, and nothing of it is left over once it went on', async () => {
    const b = held(says('Never.'));
    await on.cast(heldAtSecond(b));
    await on.closedOver(b);
    const [{ workflow_id } = { workflow_id: '' }] = await on.of('workflow_event');
    const left = await diagnoseSession(on.place.storage, 's1');
    expect(concerns(left)).toEqual({
      open_children: '1 subagent is detached: resume or discard it.',
      workflow_gaps: '1 gap or contradiction in workflows.',
    });
    const resume = left.checks.find(({ id }) => id === 'open_children')?.next_actions[0];
    expect(resume).toEqual({
      label: 'Resume workflow',
      command: 'ledgerline.resumeWorkflow',
      args: [{ session_id: 's1', workflow_id }],
    });
    const window = await on.open();
    await window.receive({ type: 'run_action', command: resume!.command, args: resume!.args });
    expect(await window.rests()).toBe('completed');
    expect(concerns(await diagnoseSession(on.place.storage, 's1'))).toEqual({});
    const [first] = await on.of('user_message');
    expect(await tree(`turn:${first?.turn_id}/workflow:${workflow_id}`)).toEqual(COMPLETED);
  });
});
