import type { CompactionStrategy, CompactionTrigger } from './context-events.ts';
import type { Draft, EventData, PermissionMode, Suspension, ToolError } from './events.ts';
import type { PreparedCall } from './ports.ts';
import { strongest, type RunEnd } from './run-end.ts';
import type { SessionState } from './session-state.ts';
import type { Turn } from './turn.ts';

/** Settings of one run, fixed when it starts. */
export interface RunSettings {
  readonly model: string;
  readonly reasoning_effort: string | null;
  readonly permission_mode: PermissionMode;
  readonly workspace: string | null;
  readonly branch: string | null;
  readonly context_window: number | null;
  readonly turn_timeout_ms: number;
  readonly stream_idle_ms: number;
  readonly max_rounds: number;
  readonly token_budget: number | null;
  readonly compaction_strategy: CompactionStrategy;
  /** None of a round's calls goes on before all of them are decided. */
  readonly batch_approvals: boolean;
}

/** What every extension sees in a phase: one snapshot, the same for all. */
export interface PhaseView {
  readonly session: SessionState;
  readonly turn: Turn;
  readonly settings: RunSettings;
}

export type Phase =
  | 'run_start'
  | 'step_start'
  | 'before_inference'
  | 'after_inference'
  | 'before_tool'
  | 'after_tool'
  | 'step_end'
  | 'run_end';

/** What an extension wants of a phase. It says so; the loop does it. */
export interface Verdict {
  readonly end?: RunEnd;
  readonly record?: readonly Draft[];
  /** History is compacted before the model is asked. Heeded in `before_inference`. */
  readonly compact?: CompactionTrigger;
}

/** Who or what decided about a call, for the record. */
export type Authority = Pick<
  EventData['permission_decision'],
  'decided_by' | 'rule' | 'scope' | 'sub_commands'
>;

export type GateVote =
  | { readonly kind: 'block'; readonly error: ToolError; readonly by: Authority | null }
  | { readonly kind: 'suspend'; readonly suspension: Omit<Suspension, 'id'>; readonly by: Authority | null }
  | { readonly kind: 'preset'; readonly output: string }
  | { readonly kind: 'allow'; readonly by: Authority | null };

export interface Extension {
  readonly name: string;
  readonly on?: { readonly [P in Exclude<Phase, 'before_tool'>]?: (view: PhaseView) => Verdict | null };
  readonly before_tool?: (view: PhaseView, call: PreparedCall) => GateVote | null;
}

export function runPhase(
  extensions: readonly Extension[],
  phase: Exclude<Phase, 'before_tool'>,
  view: PhaseView,
): {
  readonly end: RunEnd | null;
  readonly record: readonly Draft[];
  readonly compact: CompactionTrigger | null;
} {
  const verdicts = extensions.map((extension) => extension.on?.[phase]?.(view) ?? {});
  return {
    end: strongest(verdicts.flatMap((verdict) => (verdict.end === undefined ? [] : [verdict.end]))),
    record: verdicts.flatMap((verdict) => verdict.record ?? []),
    compact: verdicts.find((verdict) => verdict.compact !== undefined)?.compact ?? null,
  };
}

const GATE_RANK = { block: 3, suspend: 2, preset: 1, allow: 0 } as const satisfies Record<
  GateVote['kind'],
  number
>;

/** `block > suspend > preset > allow`, whatever the order of the extensions. Nobody's vote means allow. */
export function gate(extensions: readonly Extension[], view: PhaseView, call: PreparedCall): GateVote {
  const votes = extensions.flatMap((extension) => extension.before_tool?.(view, call) ?? []);
  return votes.reduce<GateVote>((best, vote) => (GATE_RANK[vote.kind] > GATE_RANK[best.kind] ? vote : best), {
    kind: 'allow',
    by: votes.find((vote) => vote.kind === 'allow')?.by ?? null,
  });
}
