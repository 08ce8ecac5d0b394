import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../../src/runtime/events.ts';
import { CHILDREN_KEPT } from '../../../src/runtime/inspection/families.ts';
import { TURNS_KEPT } from '../../../src/runtime/inspection/session-tree.ts';
import { AgentBench } from '../../support/agent-bench.ts';
import { asks, later, NOTHING, report, says, spawn } from '../../support/cast-provider.ts';
import {
  again,
  changed,
  cutAfter,
  isEnd,
  lacking,
  moved,
  ofChild,
  placeOf,
  repeated,
  without,
} from '../../support/changed-log.ts';
import { CUT, ENDED, handsOn, leavesAlone, MINUTE, TASK } from '../../support/child-stories.ts';
import { actionsOf, drawn, evidenceOf, traced, treeOf } from '../../support/drawn-tree.ts';
import type { Script } from '../../support/scripted-provider.ts';

const CHILD = 'turn:turn_1/subagent:agent_1';
const OPEN = 'Open transcript: ledgerline.openAgent ["session_1"]';
const onChild = (label: string, command: string): string =>
  `${label}: ledgerline.${command} [{"session_id":"s1","subagent_id":"agent_1"}]`;
const COMMAND = asks(['ask', 'run_command', { command: 'npm test' }]);
const isOfChild = ({ type }: LogEvent): boolean => type === 'subagent_event';

/** The child as it is drawn after so much of the log. */
function drawnAt(events: readonly LogEvent[]): readonly [string, readonly string[]] {
  const nodes = treeOf({ events });
  return [drawn(nodes, CHILD)[0] ?? '', actionsOf(nodes, CHILD)];
}

/** Asks, is answered, ends, goes on, is lost with its process, and is put away. */
async function longLife(): Promise<AgentBench> {
  const first = await handsOn([later(MINUTE, COMMAND), says('Seen.'), NOTHING], {}, { mode: 'ask' });
  await first.pass(MINUTE);
  await first.decide('suspension_c1', 'cancel');
  await first.person((desk) => desk.send('agent_1', 'More.', null));
  const second = await first.crash();
  return second.person((desk) => desk.end('agent_1', { status: 'closed', reason: 'Discarded.' }));
}

describe('the life of a child', () => {
  it('is shown as it is at every point, with what can be done then', async () => {
    const { events } = await longLife();
    const points = events.flatMap((event) => (isOfChild(event) ? [event] : []));
    const states = points.map((event) => [
      event.type === 'subagent_event' ? event.data.event : '',
      ...drawnAt(events.slice(0, event.seq + 1)),
    ]);
    const stop = onChild('Stop', 'stopAgent');
    const decide = 'Decide in chat: ledgerline.revealInChat [{"what":"decision","turn_id":"turn_1"}]';
    expect(states).toEqual([
      ['spawned', `[queued] ${TASK}`, [OPEN, stop]],
      ['started', `[running] ${TASK}`, [OPEN, stop]],
      ['heartbeat', `[running] ${TASK}`, [OPEN, stop]],
      ['waiting', `[waiting] ${TASK} run_command`, [decide, OPEN, stop]],
      ['went_on', `[running] ${TASK}`, [OPEN, stop]],
      ['finished', `[completed] ${TASK}`, [OPEN]],
      ['continued', `[queued] ${TASK}`, [OPEN, stop]],
      ['started', `[running] ${TASK}`, [OPEN, stop]],
      [
        'detached',
        `[detached] ${TASK}`,
        [onChild('Resume', 'resumeAgent'), OPEN, onChild('Discard', 'discardAgent')],
      ],
      ['finished', `[closed] ${TASK}`, [OPEN]],
    ]);
  });

  it('is proven by places and times of the log', async () => {
    const half = report('partial', 'Half.', { limitations: ['No tests.'], artifacts: ['a.ts'] });
    const lines = [later(2 * MINUTE, COMMAND), later(1000, half), says('It is half done.')];
    const bench = await handsOn(lines, { agent: 'worker' }, { mode: 'ask' });
    await bench.pass(2 * MINUTE);
    const log = cutAfter(bench.events, ofChild('waiting'));
    const [spawned, started, waiting] = ['spawned', 'started', 'waiting'].map((event) =>
      placeOf(log, ofChild(event)),
    );
    expect(evidenceOf(treeOf({ events: log }), CHILD)).toEqual([
      `State since seq ${waiting}, 2026-01-01T00:02:00.000Z: waiting.`,
      `First told of at seq ${spawned}.`,
      `Started at seq ${started}, 2026-01-01T00:00:00.000Z.`,
      `Last sign of life at seq ${waiting}, 2026-01-01T00:02:00.000Z.`,
      'Its own log: session session_1.',
      `Task: ${TASK}`,
      'It asks (run_command, approval): Run npm test?',
    ]);
    await bench.decide('suspension_c1', 'cancel');
    await bench.pass(1000);
    expect(evidenceOf(treeOf({ events: cutAfter(bench.events, isEnd) }), CHILD).slice(-5)).toEqual([
      'Summary: It is half done.',
      'Limit 10 min, elapsed 2 min 1 s.',
      'Reported: partial, limitations: 1, verified by: 0.',
      'Artefact a.ts: no hash',
      'The model has not been told yet.',
    ]);
  });

  it('has worked as long as it had before it was put away', async () => {
    const working = await handsOn([NOTHING]);
    await working.pass(MINUTE);
    const lost = await working.crash();
    const { events } = await lost.person((desk) =>
      desk.end('agent_1', { status: 'closed', reason: 'Discarded.' }),
    );
    expect(evidenceOf(treeOf({ events }), CHILD)).toContain('Limit 10 min, elapsed 1 min.');
  });

  it('keeps what earlier attempts left, and leads to their logs', async () => {
    const bench = await handsOn([later(4000, CUT), NOTHING], { agent: 'explorer' });
    await bench.pass(4000);
    const nodes = treeOf(bench);
    expect(drawn(nodes, CHILD)).toEqual([`[running] ${TASK} explorer, attempt 2`]);
    expect(evidenceOf(nodes, CHILD)).toContain(
      'Attempt 1 came to nothing: stream cut off, 4.0 s, session session_1. The stream ended before the answer was complete.',
    );
    expect(actionsOf(nodes, CHILD)).toContain(
      'Open transcript of attempt 1: ledgerline.openAgent ["session_1"]',
    );
    expect(actionsOf(nodes, CHILD)[0]).toBe('Open transcript: ledgerline.openAgent ["session_2"]');
    const bare = lacking(bench.events, ofChild('retried'), 'retry_history');
    expect(evidenceOf(treeOf({ events: bare }), CHILD)).toContain(
      'Attempt 1 came to nothing: session session_1.',
    );
  });

  it('ends once: what comes late changes nothing, until it is given more to do', async () => {
    const bench = await handsOn([later(MINUTE, says('Seen.')), NOTHING]);
    await bench.pass(MINUTE);
    const over = [`[completed] ${TASK}`];
    const late = moved(bench.events, ofChild('heartbeat'), isEnd);
    expect(drawn(treeOf({ events: late }), CHILD)).toEqual(over);
    const contradicted = changed(
      again(bench.events, isEnd),
      (event) => isEnd(event) && event.seq === bench.events.length,
      { status: 'failed' },
    );
    expect(drawn(treeOf({ events: contradicted }), CHILD)).toEqual(over);
    await bench.person((desk) => desk.send('agent_1', 'More.', null));
    const nodes = treeOf(bench);
    expect(drawn(nodes, CHILD)).toEqual([`[running] ${TASK}`]);
    expect(evidenceOf(nodes, CHILD)).toContain('It was given more to do once.');
    expect(evidenceOf(nodes, CHILD).join('\n')).not.toContain('Seen.');
  });
});

function telling({ type, data }: LogEvent): boolean {
  return type === 'tool_result' && (data.delivers ?? []).length > 0;
}

/** What is said last of the child. */
function told(events: readonly LogEvent[], child = CHILD): string {
  return evidenceOf(treeOf({ events }), child).at(-1) ?? '';
}

describe('what the model was told of a child', () => {
  it('is told by an event of its own, or by the result of a call that waited', async () => {
    const alone = (await leavesAlone([says('Seen.')], says('Meanwhile.'), says('Done.'))).events;
    expect(told(cutAfter(alone, isEnd))).toBe('The model has not been told yet.');
    const delivered = placeOf(alone, ofChild('delivered'));
    expect(told(alone)).toBe(`Told to the model at seq ${delivered}.`);
    const waited = (await ENDED.completed()).events;
    const at = placeOf(waited, telling);
    expect(told(waited)).toBe(`Told to the model at seq ${at}.`);
    expect(told(again(waited, telling, at + 1))).toBe(`Told to the model again at seq ${at + 1}.`);
    const another = changed(waited, telling, { delivers: [{ subagent_id: 'agent_2', seq: 16 }] });
    expect(told(another)).toBe('The model has not been told yet.');
  });

  it('is nothing of one that is detached, and of one of a workflow it is in the result of that', async () => {
    expect(told((await ENDED.detached()).events)).toBe('The model is not told: it is for you to decide.');
    const workflow = { name: 'Flow', steps: [{ id: 'one', task: TASK }] };
    const cast = {
      'Go.': [asks(['c1', 'run_workflow', { workflow }]), says('Done.')],
      [TASK]: [says('Ok.')],
    };
    const { events } = await new AgentBench(cast).turn('Go.');
    expect(told(events, 'turn:turn_1/workflow:wf_c1/step:one/subagent:agent_1')).toBe(
      'The result of its workflow tells the model.',
    );
  });

  it('of an end before it went on is not what is told of how it is now', async () => {
    const more = asks(['c2', 'send_input', { id: 'agent_1', text: 'More.' }]);
    const lines = [says('Seen.'), later(MINUTE, says('Seen again.'))];
    const bench = await leavesAlone(lines, later(1000, more), later(2 * MINUTE, says('Done.')));
    await bench.pass(1000 + MINUTE);
    expect(bench.events.filter(ofChild('finished'))).toHaveLength(2);
    expect(bench.events.filter(ofChild('delivered'))).toHaveLength(1);
    expect(told(bench.events)).toBe('The model has not been told yet.');
  });
});

describe('the place of a child', () => {
  it('is with the turn that first gave it work, whatever turn speaks of it later', async () => {
    const more = asks(['c2', 'send_input', { id: 'agent_1', text: 'More.' }]);
    const bench = await leavesAlone([NOTHING, NOTHING], NOTHING, more, NOTHING);
    await bench.stop();
    await bench.turn('On.');
    const nodes = treeOf(bench);
    expect(drawn(nodes, 'turn:turn_1')).toEqual([
      '[interrupted] Go. stopped by you',
      '  [completed] spawn_agent Look at it.',
      `  [running] ${TASK}`,
    ]);
    expect(drawn(nodes, 'turn:turn_2')).toEqual(['[running] On.', '  [completed] send_input agent_1']);
  });

  it('is with the session where its turn is not shown any more and it is not over', async () => {
    const parent = [asks(spawn('c1', TASK), spawn('c2', 'Look there.')), NOTHING];
    const cast = { 'Go.': parent, [TASK]: [NOTHING], 'Look there.': [says('Nothing.')] };
    const answers: readonly Script[] = Array.from({ length: TURNS_KEPT }, () => says('Yes.'));
    const first = await new AgentBench(cast).turn('Go.');
    const bench = await first.crash({ 'Go.': answers, [TASK]: [later(MINUTE, says('Seen.'))] });
    for (let n = 0; n < TURNS_KEPT; n += 1) await bench.turn(`Turn ${n}`);
    const nodes = treeOf(bench);
    expect(nodes.get('session/subagent:agent_1')?.state).toBe('detached');
    expect(nodes.has('session/subagent:agent_2')).toBe(false);
    expect(evidenceOf(nodes, 'session/subagent:agent_1')).toContain(`Task: ${TASK}`);
    await bench.person((desk) => desk.resume('agent_1'));
    expect(treeOf(bench).get('session/subagent:agent_1')?.state).toBe('running');
    await bench.pass(MINUTE);
    expect(treeOf(bench).get('session/subagent:agent_1')?.state).toBe('completed');
  });

  it('is stale once nobody could end it, but not while it asks a person', async () => {
    const parent = [asks(spawn('c1', TASK), spawn('c2', 'Look there.')), NOTHING];
    const cast = { 'Go.': parent, [TASK]: [NOTHING], 'Look there.': [COMMAND] };
    const bench = await new AgentBench(cast, { mode: 'ask' }).turn('Go.');
    expect(drawn(treeOf(bench, { lease: 'free' }), 'turn:turn_1').slice(-2)).toEqual([
      `  [stale] ${TASK}`,
      '  [waiting] Look there. run_command',
    ]);
    await bench.stop();
    const left = without(bench.events, isEnd);
    expect(drawn(treeOf({ events: left }), 'turn:turn_1').at(-2)).toBe(`  [stale] ${TASK}`);
  });
});

function second({ type, data }: LogEvent): boolean {
  return type === 'subagent_event' && data.subagent_id.startsWith('agent_2');
}

describe('many children', () => {
  it('are shown up to a bound: those that are over make room, those at work stay, and all are counted', async () => {
    const parent = [asks(spawn('c1', 'Look there.'), spawn('c2', TASK)), NOTHING];
    const cast = { 'Go.': parent, [TASK]: [says('Seen.')], 'Look there.': [NOTHING] };
    const { events } = await new AgentBench(cast).turn('Go.');
    const log = repeated(events, second, 'agent_2', 1000);
    const lines = drawn(treeOf({ events: log }), 'turn:turn_1').filter(
      (line) => !line.includes('spawn_agent'),
    );
    expect(lines.slice(1, 3)).toEqual([
      `  [ok] ${1001 - CHILDREN_KEPT} more subagents`,
      '  [running] Look there.',
    ]);
    expect(lines).toHaveLength(CHILDREN_KEPT + 2);
    const counts = [log, again(log, (event) => second(event) && isEnd(event))].map(
      (one) => traced(one).turns[0]?.subagent_count,
    );
    // One that had made room is told of again: it is not counted twice.
    expect(counts).toEqual([1001, 1001]);
  });

  it('at work are shown up to another bound', async () => {
    const { events } = await leavesAlone([NOTHING], NOTHING);
    const log = repeated(events, isOfChild, 'agent_1', 1000);
    expect(drawn(treeOf({ events: log }), 'turn:turn_1')).toContain('  [ok] 600 more subagents');
    expect(traced(log).turns[0]?.subagents).toHaveLength(400);
  });
});
