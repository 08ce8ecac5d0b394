import type { RunSettings } from '../../src/runtime/extension.ts';
import type { FaultPlan } from './faults.ts';
import type { Random } from './random.ts';

export const RESPONSES = {
  answer: 6,
  calls: 20,
  same_calls: 2,
  too_large: 0.5,
  fails_before_output: 1,
  fails_after_output: 1,
  cut: 1,
  hang: 0.5,
  empty: 0.5,
  refusal: 0.5,
  bug: 0.2,
} as const;
export type ResponseKind = keyof typeof RESPONSES;

export const DEEDS = {
  succeed: 6,
  fail: 2,
  fail_after_effect: 1,
  suspend: 2,
  hang: 0.5,
  stubborn: 0.5,
  late: 0.5,
  bug: 0.2,
} as const;
export type Deed = keyof typeof DEEDS;

export const ACTIONS = {
  send: 6,
  repeat: 2,
  decide: 10,
  stop: 2,
  edit: 2,
  close: 1,
  change_settings: 1,
  compact: 2,
} as const;
export type Action = keyof typeof ACTIONS;

/** What a person says when they are asked, or are not. */
export const SAYINGS = {
  resume: 8,
  answer: 3,
  mark_done: 2,
  cancel: 2,
  repeat: 3,
  early: 2,
  nonsense: 1,
} as const;
export type Saying = keyof typeof SAYINGS;

/** What the gate says of a call. */
export const GATES = { allow: 6, suspend: 4, preset: 0.5, block: 0.5 } as const;
export type Gate = keyof typeof GATES;

/**
 * What one seed's world is like. Each world leaves some trouble out and overdoes other trouble, so that
 * together they reach more than one average world would.
 */
export interface Temperament {
  readonly actions: number;
  readonly crashes: number;
  readonly crash_weight: number;
  /** How much more readily it crashes while a tool is at work. */
  readonly crash_at_work: number;
  /** Share of crashes that take the machine with them. */
  readonly power_cuts: number;
  readonly person_weight: number;
  readonly time_weight: number;
  readonly faults: FaultPlan;
  readonly responses: Readonly<Record<ResponseKind, number>>;
  readonly deeds: Readonly<Record<Deed, number>>;
  readonly person: Readonly<Record<Action, number>>;
  /** How readily they answer what they are asked. */
  readonly attention: number;
  readonly sayings: Readonly<Record<Saying, number>>;
  readonly gates: Readonly<Record<Gate, number>>;
  readonly settings: Pick<
    RunSettings,
    | 'turn_timeout_ms'
    | 'stream_idle_ms'
    | 'max_rounds'
    | 'token_budget'
    | 'context_window'
    | 'batch_approvals'
  >;
}

export function temperament(random: Random): Temperament {
  const crash_at_work = random.pick([0, 0.2, 1]);
  const rate = (): number => (random.chance(0.5) ? random.unit() * 0.03 : 0);
  return {
    actions: random.between(3, 14),
    crashes: random.pick([0, 1, 2, 4]),
    // Where it crashes at work it is spared for that.
    crash_weight: crash_at_work > 0 ? 0.002 : random.pick([0.005, 0.02]),
    crash_at_work,
    power_cuts: random.pick([0, 0.5, 1]),
    person_weight: random.pick([0.003, 0.01, 0.05]),
    time_weight: random.pick([0.005, 0.05, 0.3]),
    faults: {
      budget: random.pick([0, 0, 1, 3]),
      write: rate(),
      sync: rate(),
      rename: rate(),
      open: rate(),
      look: rate() / 4,
    },
    responses: skewed(random, RESPONSES),
    deeds: skewed(random, DEEDS),
    person: { ...skewed(random, ACTIONS), send: ACTIONS.send },
    attention: random.pick([0, 0.5, 0.8, 0.95]),
    sayings: skewed(random, SAYINGS),
    gates: skewed(random, GATES),
    settings: {
      turn_timeout_ms: random.pick([15_000, 600_000]),
      stream_idle_ms: random.pick([3_000, 20_000]),
      max_rounds: random.pick([3, 8, 30]),
      token_budget: random.pick([null, null, null, 250]),
      context_window: random.pick([null, 1_000]),
      batch_approvals: random.chance(0.3),
    },
  };
}

/** Some kinds not at all, some as usual, some often. */
function skewed<K extends string>(random: Random, usual: Readonly<Record<K, number>>): Record<K, number> {
  const entries = Object.entries<number>(usual) as [K, number][];
  const skew = entries.map(([kind, weight]) => [kind, weight * random.pick([0, 1, 1, 4])] as const);
  if (skew.every(([, weight]) => weight === 0)) return { ...usual };
  return Object.fromEntries(skew) as Record<K, number>;
}
