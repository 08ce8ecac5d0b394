import { TAILS } from './compaction/plan.ts';
import { compactionDrafts, prepareCompaction, type Prepared } from './compaction/prepare.ts';
import type { CompactionRecord } from './context-events.ts';
import { draft, type Draft, type NextAction } from './events.ts';
import type { Ids, Clock, Hasher } from './ports.ts';
import { promptSurface } from './prompt/contract.ts';
import type { ReplayTarget } from './replay/fold.ts';
import type { CompactionView } from './compaction/plan.ts';
import type { PromptSurface } from './prompt/contract.ts';
import type { SessionFolds } from './session-folds.ts';
import type { RunPorts } from './session-ports.ts';

/** What became of a compaction that a person asked for. */
export type CompactOutcome =
  | { readonly kind: 'compacted' | 'preview'; readonly record: CompactionRecord }
  | {
      readonly kind: 'refused';
      readonly code: 'turn_running' | 'nothing_to_compact' | 'call_pending' | 'not_smaller' | 'stopped';
      readonly message: string;
      readonly next_actions: readonly NextAction[];
    };

const STOP: NextAction = { label: 'Stop', command: 'ledgerline.stop' };
const NEW_SESSION: NextAction = { label: 'New session', command: 'ledgerline.newSession' };
const SELECT_MODEL: NextAction = { label: 'Select model', command: 'ledgerline.selectModel' };

const REFUSALS = {
  turn_running: {
    message: 'A turn is running. Compact when it is over, or stop it first. Nothing was changed.',
    next_actions: [STOP],
  },
  nothing_to_compact: {
    message: `There is nothing to compact: the last ${TAILS[0]} events that the model sees always stay, and before them there is nothing new. Nothing was changed.`,
    next_actions: [NEW_SESSION, SELECT_MODEL],
  },
  call_pending: {
    message: `A call that waits for your decision is further back than the last ${TAILS[0]} events that the model sees, and nothing from it on can be compacted. Decide it first, or stop the turn. Nothing was changed.`,
    next_actions: [STOP],
  },
  not_smaller: {
    message: 'A checkpoint would not make the next request smaller. Nothing was changed.',
    next_actions: [NEW_SESSION, SELECT_MODEL],
  },
  stopped: { message: 'Compacting was stopped. Nothing was changed.', next_actions: [] },
} as const;

export function compactionRefused(code: keyof typeof REFUSALS): CompactOutcome {
  return { kind: 'refused', code, ...REFUSALS[code] };
}

export interface CompactionPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly hasher: Hasher;
  readonly folds: SessionFolds;
  readonly record: (drafts: readonly Draft[]) => Promise<unknown>;
}

interface Preview {
  readonly of: string;
  readonly prepared: Extract<Prepared, { kind: 'ready' }>;
}

/** Compactions that a person asks for, between turns. What was shown as a preview is what is recorded. */
export class SessionCompaction {
  private preview: Preview | null = null;
  /** What calls for summaries took. A preview records nothing: of it, it is on record with whatever comes next. */
  private spent: readonly Draft[] = [];
  private under: AbortController | null = null;

  constructor(private readonly ports: CompactionPorts) {}

  get running(): boolean {
    return this.under !== null;
  }

  stop(): void {
    this.under?.abort();
  }

  async run(
    { dry_run }: { readonly dry_run: boolean },
    ports: () => Promise<RunPorts>,
  ): Promise<CompactOutcome> {
    const prepared = await this.begun(ports);
    const drafts = dry_run ? [] : [...this.takeSpent(), ...compactionDrafts(prepared)];
    if (drafts.length > 0) await this.ports.record(drafts);
    if (prepared.kind === 'halted') return compactionRefused('stopped');
    if (prepared.kind === 'nothing') return compactionRefused('nothing_to_compact');
    if (prepared.kind === 'held') return compactionRefused('call_pending');
    if (prepared.kind === 'not_smaller') return compactionRefused('not_smaller');
    return { kind: dry_run ? 'preview' : 'compacted', record: prepared.record };
  }

  /** For whoever records next. */
  takeSpent(): readonly Draft[] {
    const { spent } = this;
    this.spent = [];
    return spent;
  }

  /** Can be stopped from here on, also while what it works with is still being made. */
  private async begun(ports: () => Promise<RunPorts>): Promise<Prepared> {
    const under = new AbortController();
    this.under = under;
    try {
      const run = await ports();
      return under.signal.aborted ? { kind: 'halted', usage: null } : await this.prepare(run, under.signal);
    } finally {
      this.under = null;
    }
  }

  private async prepare(run: RunPorts, signal: AbortSignal): Promise<Prepared> {
    const { clock, ids, hasher, folds } = this.ports;
    const { settings, provider, tools, offered, skill_index = '' } = run;
    // Of the same log and by the same means it is the same: a model would say it in other words.
    const { compaction_strategy: strategy, model } = settings;
    const of = JSON.stringify([folds.state.last_seq, strategy, model, provider.endpoint, skill_index]);
    if (this.preview?.of === of) return this.preview.prepared;
    const surface = promptSurface(offered ?? tools.specs, skill_index, hasher);
    const { usage, ...prepared } = await prepareCompaction(
      {
        clock,
        ids,
        hasher,
        settings,
        provider,
        surface,
        signal,
        session: () => folds.state,
        compaction: (target) => compactionView(folds, target, surface),
      },
      { trigger: 'manual', tail: TAILS[0], turn_id: null },
      strategy,
    );
    if (usage !== null) this.spent = [...this.spent, draft('provider_usage', usage)];
    const kept = { ...prepared, usage: null };
    if (kept.kind === 'ready') this.preview = { of, prepared: kept };
    return kept;
  }
}

export function compactionView(
  folds: SessionFolds,
  target: ReplayTarget,
  surface: PromptSurface,
): CompactionView {
  return {
    history: folds.history,
    pressure: folds.state.pressure,
    parts: (checkpoint) => folds.parts(target, surface, checkpoint),
  };
}
