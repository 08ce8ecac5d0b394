import type { TurnFacts } from './turn-facts.ts';

/** What a window remembers of the session it showed last; only a hint of what to look at, the log decides. */
export interface LastTurn {
  readonly has_log: boolean;
  /** Something ran or waited. */
  readonly unfinished: boolean;
}

export function lastTurnOf({ has_log, state }: TurnFacts): LastTurn {
  return { has_log, unfinished: state === 'running' || state === 'waiting' };
}

/** Pure: null for what another version left, or nobody. */
export function rememberedTurn(value: unknown): LastTurn | null {
  if (typeof value !== 'object' || value === null || !('has_log' in value) || !('unfinished' in value))
    return null;
  return { has_log: value.has_log === true, unfinished: value.unfinished === true };
}
