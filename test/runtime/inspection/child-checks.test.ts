import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../../src/runtime/events.ts';
import type { LogFacts } from '../../../src/runtime/inspection/diagnosis.ts';
import { AgentBench } from '../../support/agent-bench.ts';
import { asks, later, NOTHING, reports, says, spawn, wait } from '../../support/cast-provider.ts';
import {
  again,
  cutAfter,
  isEnd,
  lacking,
  ofChild,
  placeOf,
  repeated,
  without,
} from '../../support/changed-log.ts';
import { CUT, ENDED, handsOn, leavesAlone, MINUTE, TASK } from '../../support/child-stories.ts';
import { check, concerns, diagnose } from './diagnosing.ts';

const LIVE: Partial<LogFacts> = { lease: 'held' };
const OPEN = { label: 'Open transcript', command: 'ledgerline.openAgent', args: ['session_1'] };
const ON_CHILD = [{ session_id: 's1', subagent_id: 'agent_1' }];
const RESUME = { label: 'Resume', command: 'ledgerline.resumeAgent', args: ON_CHILD };
const DISCARD = { label: 'Discard', command: 'ledgerline.discardAgent', args: ON_CHILD };
const line = (seq: number): object => ({
  label: 'Open log',
  command: 'ledgerline.openLog',
  args: [{ session_id: 's1', seq }],
});

function whats(log: readonly LogEvent[], id: string, facts = LIVE): readonly unknown[] {
  const { details } = check(diagnose(log, facts), id);
  return Array.isArray(details) ? details.map(({ what }: { what: unknown }) => what) : [];
}

function isTelling({ type, data }: LogEvent): boolean {
  return type === 'tool_result' && (data.delivers ?? []).length > 0;
}

/** Its end is told before the next request, since nobody waits for it. */
const TOLD = (await leavesAlone([says('Seen.')], says('Meanwhile.'), says('Done.'))).events;

describe('a sound life', () => {
  it('gives no concern, at any point of it', async () => {
    const bench = new AgentBench({
      'Go.': [
        asks(spawn('c1', TASK, { agent: 'explorer' })),
        says('It looks.'),
        says('Done.'),
        asks(['c2', 'send_input', { id: 'agent_1', text: 'Again.' }]),
        asks(wait('c3')),
        says('Done again.'),
      ],
      [TASK]: [later(2 * MINUTE, CUT), later(2 * MINUTE, says('Seen.')), says('Seen again.')],
    });
    await bench.turn('Go.');
    await bench.pass(5 * MINUTE);
    await bench.turn('Once more.');
    const { events } = bench;
    const lived = events.flatMap(({ type, data }) => (type === 'subagent_event' ? [data.event] : []));
    expect([...new Set(lived)]).toEqual([
      'spawned',
      'started',
      'heartbeat',
      'retried',
      'finished',
      'delivered',
      'continued',
    ]);
    for (let seq = placeOf(events, ofChild('spawned')); seq < events.length; seq += 1)
      expect([seq, concerns(diagnose(events.slice(0, seq + 1), LIVE))]).toEqual([seq, {}]);
    expect(check(diagnose(events), 'open_children').message).toBe('No subagent is left over.');
  });
});

describe('the end of a child', () => {
  it.each(['completed', 'failed', 'timed_out', 'interrupted', 'cancelled', 'closed', 'detached'] as const)(
    'as %s has all its evidence',
    async (status) => {
      const { events } = await ENDED[status]();
      expect(events.find(isEnd)?.data).toMatchObject({ status });
      expect(whats(events, 'terminal_evidence')).toEqual([]);
    },
  );

  it.each([
    [
      'completed',
      ['summary', 'checkpoint', 'elapsed_ms'],
      ['completed without a summary or a checkpoint', 'completed without the time it took'],
    ],
    ['failed', ['reason', 'next_actions'], ['failed without a reason', 'failed without next actions']],
    [
      'timed_out',
      ['timeout_ms', 'elapsed_ms', 'reason', 'child_session_id', 'next_actions'],
      [
        'timed out without its time limit',
        'timed out without the time it took',
        'timed out without a reason',
        'timed out without its session',
        'timed out without next actions',
      ],
    ],
    ['cancelled', ['reason'], ['cancelled without a reason']],
    ['interrupted', ['reason'], ['interrupted without a reason']],
    ['closed', ['reason', 'summary', 'elapsed_ms', 'next_actions'], []],
    ['detached', ['next_actions'], ['detached without next actions']],
  ] as const)('as %s without %j is said to lack %j', async (status, fields, lacks) => {
    const { events } = await ENDED[status]();
    expect(whats(lacking(events, isEnd, ...fields), 'terminal_evidence')).toEqual(
      lacks.map((what) => `subagent agent_1: ${what}`),
    );
  });

  it('as completed may have a checkpoint in place of a summary', async () => {
    const { events } = await handsOn(reports('partial', 'Half.'));
    expect(whats(lacking(events, isEnd, 'summary'), 'terminal_evidence')).toEqual([]);
  });

  it('is judged by its own event, and with what leads to it', async () => {
    const log = lacking((await ENDED.cancelled()).events, isEnd, 'reason', 'next_actions');
    const seq = placeOf(log, isEnd);
    expect(check(diagnose(log, LIVE), 'terminal_evidence')).toMatchObject({
      message: '1 end of a subagent without its evidence.',
      details: [{ subagent_id: 'agent_1', child_session_id: 'session_1', seq, next_actions: [OPEN] }],
      next_actions: [line(seq)],
    });
  });
});

describe('a child that timed out', () => {
  it('can be looked at and resumed from its finding', async () => {
    const { events } = await ENDED.timed_out();
    const seq = placeOf(events, isEnd);
    const next_actions = [RESUME, OPEN];
    expect(check(diagnose(events, LIVE), 'subagent_timeouts')).toMatchObject({
      details: [{ subagent_id: 'agent_1', seq, timeout_ms: MINUTE, elapsed_ms: MINUTE, next_actions }],
      next_actions: [RESUME, OPEN, line(seq)],
    });
  });
});

describe('a detached child', () => {
  it('is a concern until somebody resumes or discards it', async () => {
    const { events } = await ENDED.detached();
    const seq = placeOf(events, isEnd);
    const found = check(diagnose(events), 'open_children');
    expect(found).toMatchObject({
      status: 'warning',
      message: '1 subagent is detached: resume or discard it.',
      details: [{ subagent_id: 'agent_1', status: 'detached', seq }],
    });
    expect(found.next_actions).toEqual([RESUME, OPEN, DISCARD, line(seq)]);
    const discarded = await (
      await ENDED.detached()
    ).person((desk) => desk.end('agent_1', { status: 'closed', reason: 'The person discarded it.' }));
    expect(check(diagnose(discarded.events), 'open_children').message).toBe('No subagent is left over.');
    const resumed = await (await handsOn([NOTHING])).crash({ [TASK]: [NOTHING] });
    await resumed.person((desk) => desk.resume('agent_1'));
    expect(check(diagnose(resumed.events, LIVE), 'open_children')).toMatchObject({
      status: 'ok',
      message: '1 subagent is not over.',
    });
    expect(check(diagnose(resumed.events, LIVE), 'staleness').status).toBe('ok');
  });
});

describe('what the model is told of an end', () => {
  const twice = 'subagent agent_1: its end was told to the model again';
  const never = 'subagent agent_1: its end was never told to the model';

  it('is told once, by an event of its own or by the result of a call', async () => {
    expect(whats(TOLD, 'subagent_delivery')).toEqual([]);
    const waited = (await ENDED.completed()).events;
    expect(whats(waited, 'subagent_delivery')).toEqual([]);
    for (const [log, telling] of [
      [TOLD, ofChild('delivered')],
      [waited, isTelling],
    ] as const) {
      const seq = placeOf(log, telling) + 1;
      const more = again(log, telling, seq);
      expect(whats(more, 'subagent_delivery')).toEqual([twice]);
      expect(check(diagnose(more), 'subagent_delivery')).toMatchObject({
        status: 'warning',
        details: [{ seq }],
        next_actions: [OPEN, line(seq)],
      });
    }
  });

  it('is told before the answer of a turn that ends by itself', async () => {
    expect(whats(cutAfter(TOLD, isEnd), 'subagent_delivery')).toEqual([]);
    expect(whats(without(TOLD, ofChild('delivered')), 'subagent_delivery')).toEqual([never]);
    const bench = await leavesAlone([later(MINUTE, says('Seen.'))], NOTHING, says('Done.'));
    await bench.pass(MINUTE);
    await bench.stop();
    expect(whats(bench.events, 'subagent_delivery')).toEqual([]);
    await bench.turn('And now?');
    expect(whats(bench.events, 'subagent_delivery')).toEqual([]);
    expect(whats(without(bench.events, ofChild('delivered')), 'subagent_delivery')).toEqual([never]);
  });

  it('need not be told of what a workflow or a person decides', async () => {
    const workflow = { name: 'Flow', steps: [{ id: 'one', task: TASK }] };
    const step = new AgentBench({
      'Go.': [asks(['c1', 'run_workflow', { workflow }]), says('Done.')],
      [TASK]: [says('Seen.')],
    });
    expect(whats((await step.turn('Go.')).events, 'subagent_delivery')).toEqual([]);
    const detached = await (await handsOn([NOTHING])).crash({ 'Go.': [says('Never mind.')] });
    await detached.turn('Leave it.');
    expect(whats(detached.events, 'subagent_delivery')).toEqual([]);
  });
});

const isOfChild = ({ type }: LogEvent): boolean => type === 'subagent_event';

describe('thousands of children', () => {
  it('are counted whole, and told of in part', async () => {
    const bench = await leavesAlone([NOTHING], says('It looks.'), says('Done.'));
    await bench.pass(11 * MINUTE);
    const one = without(lacking(bench.events, isEnd, 'reason'), ofChild('heartbeat'));
    const many = repeated(one, isOfChild, 'agent_1', 2000);
    const untold = without(
      many,
      ({ type, data }) =>
        type === 'subagent_event' && data.event === 'delivered' && /[13579]$/u.test(data.subagent_id),
    );
    const found = diagnose(untold, LIVE);
    const of = (id: string): readonly unknown[] => {
      const { message, details } = check(found, id);
      return [message, Array.isArray(details) ? details.length : 0];
    };
    expect(of('subagent_timeouts')).toEqual(['2000 subagents timed out before they were done.', 200]);
    expect(of('terminal_evidence')).toEqual(['2000 ends of subagents without their evidence.', 200]);
    expect(of('subagent_delivery')).toEqual([
      '1000 ends of subagents that the model was told of not once, but twice or never.',
      200,
    ]);
  });

  it('that nobody could end are named up to a bound', async () => {
    const { events } = await leavesAlone([NOTHING], NOTHING);
    const { message, details } = check(diagnose(repeated(events, isOfChild, 'agent_1', 300)), 'staleness');
    expect(message).toMatch(
      /^No live process could end turn turn_1, subagent agent_1\.0, .*subagent agent_1\.8, and 291 more\.$/u,
    );
    expect(details).toHaveLength(200);
  });
});
