import { describe, expect, it } from 'vitest';
import type { EventData, EventType, LogEvent } from '../../src/runtime/events.ts';
import { CALL_MOVES, RUN_MOVES, type CallState, type RunState } from '../../src/runtime/machines.ts';
import { applyToSession, emptySession } from '../../src/runtime/session-state.ts';
import { turnState, type Turn } from '../../src/runtime/turn.ts';
import { later, says as answers } from '../support/cast-provider.ts';
import { cutAfter, isEnd, lacking, moved as putOff, ofChild } from '../support/changed-log.ts';
import { leavesAlone, MINUTE } from '../support/child-stories.ts';
import { made, oneOfEach, unknown } from '../support/made-events.ts';

type Entry = { [T in EventType]: readonly [T, Omit<EventData[T], 'turn_id'>] }[EventType];

/** The fold of a turn that holds these events. */
function turnOf(...entries: readonly Entry[]): Turn {
  const prompt: Entry = ['user_message', { text: 'go', client_turn_id: 'k1', attachments: [] }];
  let state = emptySession('s1');
  [prompt, ...entries].forEach(([type, data], seq) => {
    state = applyToSession(state, made<EventType>(type, seq, { turn_id: 't1', ...data }));
  });
  if (state.turn === null) throw new Error('no turn');
  return state.turn;
}

function call(call_id: string, at: { readonly index?: number; readonly count?: number } = {}): Entry {
  const { index = 0, count = 1 } = at;
  return [
    'tool_call',
    { stream_run_id: 'r1', call_id, name: 'read', args: '{}', output_index: index, output_count: count },
  ];
}

function moved(call_id: string, from: CallState, to: CallState): Entry {
  return ['tool_call_status', { call_id, from, to }];
}

function result(call_id: string, ok = true): Entry {
  return ['tool_result', { call_id, ok, output: 'out', duration_ms: 1 }];
}

function says(
  text: string,
  at: { readonly stream?: string; readonly index?: number; readonly count?: number } = {},
): Entry {
  const { stream = 'r2', index = 0, count = 1 } = at;
  const metadata = { partial: false };
  return [
    'assistant_message',
    { stream_run_id: stream, text, metadata, output_index: index, output_count: count },
  ];
}

function failed(terminal_status: EventData['turn_failed']['terminal_status']): Entry {
  return [
    'turn_failed',
    { terminal_status, error_kind: 'x', error_message: 'x', details: {}, next_actions: [] },
  ];
}

/** The turn of a session with a child, after so much of its log. */
function turnIn(events: readonly LogEvent[]): Turn {
  const { turn } = events.reduce(applyToSession, emptySession('s1'));
  if (turn === null) throw new Error('no turn');
  return turn;
}

function said({ type }: LogEvent): boolean {
  return type === 'assistant_message';
}

/** A turn that has said its last word before its child, and says another after it. */
async function outlived(): Promise<readonly LogEvent[]> {
  const bench = await leavesAlone([later(MINUTE, answers('Seen.'))], answers('It looks.'), answers('Done.'));
  return (await bench.pass(MINUTE)).events;
}

const PATHS: Readonly<Record<CallState, readonly Entry[]>> = {
  new: [],
  running: [moved('c1', 'new', 'running')],
  suspended: [moved('c1', 'new', 'suspended')],
  resuming: [moved('c1', 'new', 'suspended'), moved('c1', 'suspended', 'resuming')],
  succeeded: [moved('c1', 'new', 'running'), moved('c1', 'running', 'succeeded')],
  failed: [moved('c1', 'new', 'failed')],
  cancelled: [moved('c1', 'new', 'cancelled')],
};

describe('a move in the log that the tables do not have', () => {
  const states = Object.keys(CALL_MOVES) as CallState[];

  it.each(states)('leaves a call that is %s as it was and is told', (from) => {
    for (const to of states) {
      const turn = turnOf(call('c1'), ...PATHS[from], moved('c1', from, to));
      const legal = (CALL_MOVES[from] as readonly CallState[]).includes(to);
      expect(turn.open.get('c1')?.state).toBe(legal ? to : from);
      expect(turn.violations).toEqual(legal ? [] : [`call c1: ${from} -> ${to}`]);
    }
  });

  it('leaves a call as it was when the move starts from a state the call is not in', () => {
    const turn = turnOf(call('c1'), moved('c1', 'running', 'succeeded'));
    expect([turn.open.get('c1')?.state, turn.violations]).toEqual(['new', ['call c1: new -> succeeded']]);
  });

  it('is told for a call that nobody asked for', () => {
    const turn = turnOf(moved('c9', 'new', 'running'));
    expect(turn.violations).toEqual(['status of unknown or settled call c9']);
  });

  it.each(Object.keys(RUN_MOVES) as RunState[])('leaves a run that is %s as it was', (from) => {
    const path: Readonly<Record<RunState, readonly Entry[]>> = {
      running: [],
      waiting: [['run_status', { status: 'waiting' }]],
      done: [['run_status', { status: 'done' }]],
    };
    for (const to of Object.keys(RUN_MOVES) as RunState[]) {
      // The first word of every run repeats the state it begins in.
      if (from === 'running' && to === 'running') continue;
      const turn = turnOf(...path[from], ['run_status', { status: to }]);
      const legal = (RUN_MOVES[from] as readonly RunState[]).includes(to);
      expect(turn.run).toBe(legal ? to : from);
      expect(turn.violations).toEqual(legal ? [] : [`run: ${from} -> ${to}`]);
    }
  });
});

describe('evidence that contradicts what is already there', () => {
  it('a second result of a call changes nothing and is told', () => {
    const settled = [call('c1'), ...PATHS.running, result('c1'), moved('c1', 'running', 'succeeded')];
    const once = turnOf(...settled);
    const twice = turnOf(...settled, result('c1', false));
    expect(twice).toEqual({ ...once, violations: ['result of unknown or settled call c1'] });
  });

  it('a second result of a call that is still open changes nothing and is told', () => {
    const once = turnOf(call('c1'), ...PATHS.running, result('c1'));
    const twice = turnOf(call('c1'), ...PATHS.running, result('c1'), result('c1', false));
    expect(twice).toEqual({ ...once, violations: ['second result of call c1'] });
  });

  it('a late result does not take a completed turn back', () => {
    const done = [
      call('c1'),
      ...PATHS.running,
      result('c1'),
      moved('c1', 'running', 'succeeded'),
      says('Done.'),
    ];
    const turn = turnOf(...done, result('c1'));
    expect([turnState(turn), turn.violations]).toEqual([
      'completed',
      ['result of unknown or settled call c1'],
    ]);
  });

  it('a result of a call nobody asked for is told', () => {
    expect(turnOf(result('c9')).violations).toEqual(['result of unknown or settled call c9']);
  });

  it('a second call of the same id does not replace the first', () => {
    const turn = turnOf(call('c1'), ...PATHS.running, call('c1'));
    expect([turn.open.get('c1')?.state, turn.violations]).toEqual(['running', ['second call c1']]);
  });

  it('a turn that failed stays as it first failed', () => {
    const turn = turnOf(failed('interrupted'), failed('failed'));
    expect([turnState(turn), turn.violations]).toEqual(['interrupted', ['turn: interrupted -> failed']]);
  });

  it('a turn that is completed cannot fail afterwards', () => {
    const turn = turnOf(says('Done.'), failed('interrupted'));
    expect([turnState(turn), turn.violations]).toEqual(['completed', ['turn: completed -> interrupted']]);
  });
});

describe('the evidence of a completed turn', () => {
  it('is a clean, non-empty message of a response that asked for nothing', () => {
    expect(turnState(turnOf(says('Done.')))).toBe('completed');
    expect(turnState(turnOf(says('')))).toBe('running');
  });

  it('is more than white space, in one message of its response or another', () => {
    expect(turnState(turnOf(says(' \n')))).toBe('running');
    const two = [says('Done.', { index: 0, count: 2 }), says(' ', { index: 1, count: 2 })];
    expect(turnState(turnOf(...two))).toBe('completed');
    const other = [says('Done.', { stream: 'r0', count: 2 }), says(' ', { stream: 'r2' })];
    expect(turnState(turnOf(...other))).toBe('running');
  });

  it('is the last message of a response, not the first of two', () => {
    const first = says('First,', { index: 0, count: 2 });
    expect(turnState(turnOf(first))).toBe('running');
    expect(turnState(turnOf(first, says('then.', { index: 1, count: 2 })))).toBe('completed');
  });

  it('is not there when the response also asked for calls, whichever came first', () => {
    const before = [
      says('I look.', { stream: 'r1', index: 0, count: 2 }),
      call('c1', { index: 1, count: 2 }),
    ];
    const after = [call('c1', { index: 0, count: 2 }), says('I look.', { stream: 'r1', index: 1, count: 2 })];
    const settled = [...PATHS.running, result('c1'), moved('c1', 'running', 'succeeded')];
    expect(turnState(turnOf(...before, ...settled))).toBe('running');
    expect(turnState(turnOf(...after, ...settled))).toBe('running');
    expect([turnOf(...before).answered, turnOf(...after).answered]).toEqual([false, false]);
  });

  it('is not there while a call is pending, and not when its result comes after the message', () => {
    const pending = [call('c1'), ...PATHS.suspended, says('It waits for you.')];
    expect(turnState(turnOf(...pending))).toBe('running');
    const decided = [...pending, moved('c1', 'suspended', 'resuming'), moved('c1', 'resuming', 'succeeded')];
    expect(turnState(turnOf(...decided, result('c1')))).toBe('running');
    expect(turnState(turnOf(...decided, result('c1'), says('Now.', { stream: 'r3' })))).toBe('completed');
  });

  it('is not there over an open child, nor where it did not know of its end', async () => {
    const events = await outlived();
    expect(turnState(turnIn(cutAfter(events, said)))).toBe('running');
    expect(turnState(turnIn(cutAfter(events, isEnd)))).toBe('running');
    expect(turnState(turnIn(events))).toBe('completed');
    const unaware = lacking(events, said, 'open_children');
    expect(turnState(turnIn(cutAfter(unaware, said)))).toBe('running');
    expect(turnState(turnIn(cutAfter(unaware, isEnd)))).toBe('completed');
  });

  it('is not a partial message, however long', () => {
    const partial: Entry = [
      'assistant_message',
      { stream_run_id: 'r1', text: 'All but the end', metadata: { partial: true } },
    ];
    expect(turnState(turnOf(partial))).toBe('running');
  });
});

describe('a waiting turn', () => {
  it('is one whose run waits on a suspended call', () => {
    const waiting: Entry = ['run_status', { status: 'waiting', reason: 'suspended' }];
    expect(turnState(turnOf(call('c1'), ...PATHS.suspended, waiting))).toBe('waiting');
    expect(turnState(turnOf(call('c1'), ...PATHS.suspended))).toBe('running');
    expect(turnState(turnOf(waiting))).toBe('running');
  });
});

describe('what a turn keeps for the next decision', () => {
  it('counts responses and tokens, where an unknown count adds nothing', () => {
    const usage = oneOfEach().provider_usage.data;
    const unknownTokens = { ...usage, tokens: { ...usage.tokens, total: null } };
    const turn = turnOf(['provider_usage', usage], ['provider_usage', unknownTokens]);
    expect([turn.responses, turn.tokens]).toEqual([2, 11]);
  });

  it('remembers no more than the last twelve finished calls and the last six rounds', () => {
    const rounds = Array.from({ length: 14 }, (_, n): readonly Entry[] => {
      const call_id = `c${n}`;
      const place = { stream_run_id: `r${n}`, output_index: 0, output_count: 1 };
      return [
        ['tool_call', { ...place, call_id, name: `tool_${n}`, args: '{}' }],
        moved(call_id, 'new', 'running'),
        result(call_id),
        moved(call_id, 'running', 'succeeded'),
      ];
    });
    const turn = turnOf(...rounds.flat());
    expect(turn.completed_calls).toEqual(Array.from({ length: 12 }, (_, n) => `tool_${n + 2}`));
    expect(turn.rounds.map((round) => round.stream_run_id)).toEqual(['r8', 'r9', 'r10', 'r11', 'r12', 'r13']);
    expect([turn.open.size, turn.violations]).toEqual([0, []]);
  });

  it('is not changed by events of another turn or of a later version', () => {
    const before = applyToSession(emptySession('s1'), oneOfEach().user_message);
    const other = made('turn_failed', 1, { ...oneOfEach().turn_failed.data, turn_id: 't9' });
    const after = [other, unknown(2, 'telepathy', { turn_id: 't1' })].reduce(applyToSession, before);
    expect(after).toEqual({ ...before, last_seq: 2 });
  });
});

describe('what is said of a child', () => {
  it('while it was at work does not open it again once it has ended', async () => {
    const late = putOff(await outlived(), ofChild('heartbeat'), isEnd);
    expect([...turnIn(cutAfter(late, ofChild('started'))).open_children]).toEqual(['agent_1']);
    expect([...turnIn(cutAfter(late, ofChild('heartbeat'))).open_children]).toEqual([]);
  });
});
