import type { Pressure } from '../state.ts';

export type PartName = 'instructions' | 'tools' | 'skills' | 'history' | 'tool_output';

export interface Part {
  readonly name: PartName;
  readonly tokens: number;
  /** Of all that is used, between 0 and 1. */
  readonly share: number;
}

/** What the meter shows: what is not known is null, and what nobody counted is said to be an estimate. */
export interface MeterModel {
  readonly tier: string;
  /** Of the window, between 0 and 1; more when the request was larger than the window. */
  readonly ratio: number | null;
  readonly used: number | null;
  readonly cached: number | null;
  readonly free: number | null;
  readonly window: number | null;
  /** The provider did not count: `used` is the sum of the parts. */
  readonly isEstimate: boolean;
  /** History was compacted since the last request: all of it is about the next one. */
  readonly isOfNext: boolean;
  /** In the order of a request; empty where nothing is known of them. */
  readonly parts: readonly Part[];
}

const ORDER = [
  'instructions',
  'tools',
  'skills',
  'history',
  'tool_output',
] as const satisfies readonly PartName[];

/** Pure. */
export function meterModel(pressure: Pressure | null): MeterModel {
  const { tier = 'unknown', ratio = null, cached_tokens = null, window_tokens = null } = pressure ?? {};
  const parts = pressure?.parts ?? null;
  const measured = pressure?.input_tokens ?? null;
  const used = measured ?? (parts === null ? null : sumOf(parts));
  return {
    tier,
    ratio,
    used,
    // What came from the cache is a part of what was sent.
    cached: cached_tokens === null || used === null ? cached_tokens : Math.min(cached_tokens, used),
    free: used === null || window_tokens === null ? null : Math.max(0, window_tokens - used),
    window: window_tokens,
    isEstimate: used !== null && (measured === null || pressure?.estimated === true),
    isOfNext: pressure?.after_compaction ?? false,
    parts: parts === null || used === null ? [] : partsOf(parts, used),
  };
}

type Estimates = NonNullable<Pressure['parts']>;

function sumOf(parts: Estimates): number {
  return ORDER.reduce((sum, name) => sum + parts[name], 0);
}

/**
 * Pure: the parts as shares of a total. Whole tokens that sum up to it exactly: what rounding leaves over goes to
 * those that lost most by it.
 */
export function partsOf(parts: Estimates, total: number): readonly Part[] {
  const sum = sumOf(parts);
  if (sum <= 0) return [];
  const exact = ORDER.map((name) => ({ name, tokens: (parts[name] / sum) * total }));
  const left = total - exact.reduce((all, { tokens }) => all + Math.floor(tokens), 0);
  const most = exact
    .map(({ name, tokens }) => ({ name, lost: tokens - Math.floor(tokens) }))
    .toSorted((a, b) => b.lost - a.lost)
    .slice(0, left);
  const given = new Set(most.map(({ name }) => name));
  return exact.map(({ name, tokens }) => ({
    name,
    tokens: Math.floor(tokens) + (given.has(name) ? 1 : 0),
    share: parts[name] / sum,
  }));
}

/** The stretches of a bar of some width, one after the other; what is left of it is free. */
export interface Stretches {
  readonly cached: number;
  readonly other: number;
}

/** Pure: null where it is not known how full the window is. */
export function stretches({ ratio, used, cached }: MeterModel, width: number): Stretches | null {
  if (ratio === null) return null;
  const filled = Math.min(1, Math.max(0, ratio)) * width;
  const share = used === null || used === 0 ? 0 : (cached ?? 0) / used;
  return { cached: filled * share, other: filled * (1 - share) };
}
