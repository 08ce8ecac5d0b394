import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../../src/runtime/events.ts';
import type { LogFacts } from '../../../src/runtime/inspection/diagnosis.ts';
import { AgentBench } from '../../support/agent-bench.ts';
import { asks, later, NOTHING, says, spawn, wait } from '../../support/cast-provider.ts';
import { isEnd, ofChild, placeOf, without } from '../../support/changed-log.ts';
import { ENDED, handsOn, leavesAlone, MINUTE, TASK } from '../../support/child-stories.ts';
import { check, diagnose } from './diagnosing.ts';

const LIVE: Partial<LogFacts> = { lease: 'held' };
const OPEN = { label: 'Open transcript', command: 'ledgerline.openAgent', args: ['session_1'] };
const ON_CHILD = [{ session_id: 's1', subagent_id: 'agent_1' }];
const STOP = { label: 'Stop', command: 'ledgerline.stopAgent', args: ON_CHILD };
const COMMAND = asks(['ask', 'run_command', { command: 'npm test' }]);

function whats(log: readonly LogEvent[]): readonly unknown[] {
  const { details } = check(diagnose(log, LIVE), 'staleness');
  return Array.isArray(details) ? details.map(({ what }: { what: unknown }) => what) : [];
}

/** Both work, one of them is not heard of. */
const SILENT = await (async () => {
  const parent = [asks(spawn('c1', TASK), spawn('c2', 'Look elsewhere.')), asks(wait('c3'))];
  const cast = { 'Go.': parent, [TASK]: [NOTHING], 'Look elsewhere.': [NOTHING] };
  const bench = await new AgentBench(cast).turn('Go.');
  await bench.pass(5 * MINUTE);
  return without(bench.events, ofChild('heartbeat'));
})();

describe('an open child', () => {
  it('is stale where no live process has the log', async () => {
    const { events } = await handsOn([NOTHING]);
    const found = check(diagnose(events), 'staleness');
    expect(found.message).toBe(
      'No live process could end turn turn_1, call c2 of wait_agent, subagent agent_1.',
    );
    const seq = placeOf(events, ofChild('started'));
    expect(found.details).toMatchObject([{}, {}, { subagent_id: 'agent_1', seq, next_actions: [OPEN] }]);
  });

  it('is stale where its turn is over, but not where another or a person gave it more to do', async () => {
    const stopped = await ENDED.cancelled();
    expect(check(diagnose(without(stopped.events, isEnd), LIVE), 'staleness')).toMatchObject({
      message: '1 subagent is open although its turn is over.',
      details: [{ what: 'subagent agent_1: open although its turn is over' }],
      next_actions: [OPEN, STOP],
    });
    const more = asks(['c2', 'send_input', { id: 'agent_1', text: 'Go on.' }]);
    const other = await leavesAlone([NOTHING, NOTHING], NOTHING, more, NOTHING);
    await other.stop();
    await other.turn('Go on with it.');
    expect(other.children.items).toHaveLength(1);
    expect(whats(other.events)).toEqual([]);
    const own = await leavesAlone([NOTHING, NOTHING], NOTHING);
    await own.stop();
    await own.person((desk) => desk.resume('agent_1'));
    expect(own.children.items).toHaveLength(1);
    expect(whats(own.events)).toEqual([]);
  });

  it('is stale where it gave no sign of life for more than three minutes while others did', async () => {
    const beats = SILENT.flatMap((event, seq) => (ofChild('heartbeat', 'agent_2')(event) ? [seq] : []));
    expect(whats(SILENT.slice(0, (beats[2] ?? 0) + 1))).toEqual([]);
    const seq = placeOf(SILENT, ofChild('started'));
    expect(check(diagnose(SILENT.slice(0, (beats[3] ?? 0) + 1), LIVE), 'staleness')).toMatchObject({
      message: '1 subagent has given no sign of life for more than 3 minutes.',
      details: [{ what: `subagent agent_1: no sign of life since seq ${seq}` }],
    });
    const limits = { max_running: 1 };
    const parent = [asks(spawn('c1', TASK), spawn('c2', 'Look elsewhere.')), asks(wait('c3'))];
    const queued = await new AgentBench({ 'Go.': parent, [TASK]: [NOTHING] }, { limits }).turn('Go.');
    await queued.pass(9 * MINUTE);
    expect(whats(queued.events)).toEqual([]);
  });

  it('that asks a person is not stale, and what it asks is listed', async () => {
    const parent = [asks(spawn('c1', TASK), spawn('c2', 'Look elsewhere.')), asks(wait('c3')), says('Done.')];
    const cast = {
      'Go.': parent,
      [TASK]: [COMMAND, NOTHING],
      'Look elsewhere.': [later(9 * MINUTE, COMMAND), NOTHING],
    };
    const bench = await new AgentBench(cast, { mode: 'ask' }).turn('Go.');
    await bench.pass(8 * MINUTE);
    expect(whats(bench.events)).toEqual([]);
    const decide = {
      label: 'Decide in chat',
      command: 'ledgerline.revealInChat',
      args: [{ what: 'decision', turn_id: 'turn_1' }],
    };
    expect(check(diagnose(bench.events, LIVE), 'pending_decisions')).toMatchObject({
      message: '1 question of a subagent waiting for a person.',
      details: [
        {
          subagent_id: 'agent_1',
          call_id: 'ask',
          name: 'run_command',
          seq: placeOf(bench.events, ofChild('waiting')),
          suspension: { id: 'suspension_c1', reason: 'approval' },
        },
      ],
      next_actions: [decide, OPEN, STOP],
    });
    await bench.pass(MINUTE);
    expect(check(diagnose(bench.events, LIVE), 'pending_decisions').message).toBe(
      '2 questions of subagents waiting for a person.',
    );
    await bench.decide('suspension_c1', 'cancel');
    await bench.decide('suspension_c2', 'cancel');
    expect(check(diagnose(bench.events, LIVE), 'pending_decisions').status).toBe('ok');
  });
});
