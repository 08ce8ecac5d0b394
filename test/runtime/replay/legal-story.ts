import * as fc from 'fast-check';

/** What happens in a session, before it is told as events. Everything in it is legal by construction. */

export interface CallPlan {
  readonly ok: boolean;
  /** Waits for a person: decided after so many more requests, or when its turn needs it. */
  readonly pending: boolean;
  readonly decided_after: number;
  readonly resumes: boolean;
  /** Results come in any order. */
  readonly order: number;
}

export interface RoundPlan {
  readonly reasoning: number;
  readonly reasoning_between: boolean;
  readonly text: 'none' | 'before' | 'between' | 'after';
  readonly calls: readonly CallPlan[];
  /** A skill is activated while the calls run. */
  readonly skill: boolean;
}

export const ENDINGS = [
  'answer',
  'two_messages',
  'failed',
  'partial_failed',
  'timed_out',
  'interrupted',
  'interrupted_in_tools',
  'half_committed',
  'superseded_while_waiting',
] as const;

export type Ending = (typeof ENDINGS)[number];

export interface TurnPlan {
  readonly context_changes: boolean;
  readonly images: number;
  readonly files: number;
  readonly model: 'm1' | 'm2';
  readonly endpoint: 'e1' | 'e2';
  readonly rounds: readonly RoundPlan[];
  readonly ending: Ending;
  readonly last: RoundPlan;
  /** How many items of the half-committed response are in the log. */
  readonly committed: number;
  /** A child's words arrive at a step start. */
  readonly delivered: boolean;
  /** Before which step the history is compacted, and how many boundaries its tail reaches back. */
  readonly compaction: { readonly before_step: number; readonly reach: number } | null;
}

export interface Story {
  readonly forked: boolean;
  readonly turns: readonly TurnPlan[];
  /** What an audit fact is put after, position by position, round and round. */
  readonly noise: readonly number[];
}

const call: fc.Arbitrary<CallPlan> = fc.record({
  ok: fc.boolean(),
  pending: fc.oneof(
    { weight: 3, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  decided_after: fc.nat(2),
  resumes: fc.boolean(),
  order: fc.nat(9),
});

const round: fc.Arbitrary<RoundPlan> = fc.record({
  reasoning: fc.nat(2),
  reasoning_between: fc.boolean(),
  text: fc.constantFrom('none', 'before', 'between', 'after'),
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  skill: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

const turn: fc.Arbitrary<TurnPlan> = fc.record({
  context_changes: fc.boolean(),
  images: fc.nat(2),
  files: fc.nat(1),
  model: fc.constantFrom('m1', 'm1', 'm2'),
  endpoint: fc.constantFrom('e1', 'e1', 'e2'),
  rounds: fc.array(round, { maxLength: 3 }),
  ending: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<Ending>('answer', 'two_messages') },
    { weight: 7, arbitrary: fc.constantFrom<Ending>(...ENDINGS) },
  ),
  last: round,
  committed: fc.nat(4),
  delivered: fc.boolean(),
  compaction: fc.option(fc.record({ before_step: fc.nat(3), reach: fc.nat(4) }), { freq: 4 }),
});

export const story: fc.Arbitrary<Story> = fc.record({
  forked: fc.boolean(),
  turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
  noise: fc.array(fc.nat(11), { minLength: 1, maxLength: 40 }),
});
