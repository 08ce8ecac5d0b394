import type { ContextParts, ForkContext, Gauge, Tier } from './context-events.ts';
import type { LogEvent } from './events.ts';
import { field, numberOrNull, text } from './loose-fields.ts';
import { sumOf } from './replay/weights.ts';

/** What the log says of the room in the window, since the last checkpoint. */
export interface Pressure {
  readonly gauge: Gauge | null;
  /** What the provider counts for each token of our estimates; null until both are known of one call. */
  readonly scale: number | null;
  /** The highest tier since the last checkpoint, and the event that reached it: what was told is not told again. */
  readonly reached: { readonly tier: Tier; readonly seq: number };
  /** A fork: up to here its events are its parent's, which said how full the window was after them, if it knew. */
  readonly inherited_to: number;
}

const NOT_REACHED = { tier: 'none', seq: -1 } as const;

export const NO_PRESSURE: Pressure = { gauge: null, scale: null, reached: NOT_REACHED, inherited_to: -1 };

/** Pure: the pressure after one more event. Read loosely: a log may be of another version. */
export function applyToPressure(pressure: Pressure, event: LogEvent): Pressure {
  if (event.type === 'session_fork') return inherited(event.data);
  if (event.seq <= pressure.inherited_to) return pressure;
  if (event.type === 'history_compaction') return relieved(pressure, event.data);
  if (pressure.gauge?.of === 'checkpoint' && isOfResponse(event)) return { ...pressure, gauge: null };
  if (event.type !== 'provider_usage' || event.data.purpose !== undefined) return pressure;
  const { tokens, context } = event.data;
  const parts = partsIn(field(context, 'parts'));
  const input = countedIn(tokens);
  const estimate = parts === null ? null : sumOf(parts);
  // A call that failed says nothing about the window.
  const completed = text(event.data, 'output_truncation') === 'not_truncated';
  if (input === null && (estimate === null || !completed)) return pressure;
  const gauge: Gauge = {
    of: 'call',
    input_tokens: input ?? Math.round((estimate ?? 0) * (pressure.scale ?? 1)),
    cached_tokens: numberOrNull(tokens, 'cached'),
    measured: input !== null,
    parts,
  };
  const tier = tierIn(context);
  const higher = RANK[tier] > RANK[pressure.reached.tier];
  return {
    ...pressure,
    gauge,
    scale: input !== null && estimate !== null && estimate > 0 ? input / estimate : pressure.scale,
    reached: higher ? { tier, seq: event.seq } : pressure.reached,
  };
}

/** What a checkpoint came to is the next request, and not the one after it. In a fork nothing counts that one. */
function isOfResponse({ type, data }: LogEvent): boolean {
  return type === 'tool_call' || (type === 'assistant_message' && !data.metadata.partial);
}

/** Every request has words: a provider that counts none did not count. */
function countedIn(tokens: unknown): number | null {
  const input = numberOrNull(tokens, 'input');
  return input !== null && input > 0 ? input : null;
}

const RANK = { unknown: 0, none: 0, advisory: 1, warning: 2, critical: 3 } as const satisfies Record<
  Tier,
  number
>;

function tierIn(context: unknown): Tier {
  const told = text(context, 'tier');
  return isTier(told) ? told : 'unknown';
}

function isTier(told: string): told is Tier {
  return Object.hasOwn(RANK, told);
}

/** From here on what was measured is of another request: what is left is what the checkpoint says it came to. */
function relieved(pressure: Pressure, checkpoint: unknown): Pressure {
  const after = numberOrNull(checkpoint, 'tokens_after');
  const parts = partsIn(field(checkpoint, 'parts_after'));
  const gauge: Gauge | null =
    after === null
      ? null
      : { of: 'checkpoint', input_tokens: after, cached_tokens: null, measured: false, parts };
  return { ...pressure, gauge, reached: NOT_REACHED };
}

/** What a fork is told of its parent; null where that knew nothing. */
export function forkContext({ gauge, scale }: Pressure): ForkContext | null {
  return gauge === null ? null : { ...gauge, scale };
}

/** The next request of a fork goes on from its parent's last one. What was told there is told here when it is reached again. */
function inherited(fork: unknown): Pressure {
  const context = field(fork, 'context');
  const input_tokens = numberOrNull(context, 'input_tokens');
  const to = numberOrNull(fork, 'replay_event_count');
  if (to === null) return NO_PRESSURE;
  if (input_tokens === null) return { ...NO_PRESSURE, inherited_to: to };
  const gauge: Gauge = {
    of: text(context, 'of') === 'checkpoint' ? 'checkpoint' : 'call',
    input_tokens,
    cached_tokens: numberOrNull(context, 'cached_tokens'),
    measured: field(context, 'measured') === true,
    parts: partsIn(field(context, 'parts')),
  };
  return { ...NO_PRESSURE, gauge, scale: numberOrNull(context, 'scale'), inherited_to: to };
}

function partsIn(value: unknown): ContextParts | null {
  const part = (name: keyof ContextParts): number => numberOrNull(value, name) ?? Number.NaN;
  const parts: ContextParts = {
    instructions: part('instructions'),
    tools: part('tools'),
    skills: part('skills'),
    history: part('history'),
    tool_output: part('tool_output'),
  };
  return Number.isNaN(sumOf(parts)) ? null : parts;
}

export const TIERS = { advisory: 0.7, warning: 0.8, critical: 0.9 } as const;

/** Where an input stands in its window; an unknown window has no tier. */
export function tierOf(ratio: number | null): Tier {
  if (ratio === null) return 'unknown';
  if (ratio < TIERS.advisory) return 'none';
  if (ratio < TIERS.warning) return 'advisory';
  return ratio < TIERS.critical ? 'warning' : 'critical';
}

/** Whether the last call nearly filled the window that is in force now, and nothing was compacted since. */
export function isCritical({ gauge }: Pressure, window: number | null): boolean {
  return (
    gauge !== null && gauge.measured && window !== null && tierOf(gauge.input_tokens / window) === 'critical'
  );
}
