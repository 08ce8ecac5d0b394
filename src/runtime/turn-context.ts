import type { CompactionView } from './compaction/plan.ts';
import type { CompactedImage } from './context-events.ts';
import type { CommandProcess, Draft, KnownEvent } from './events.ts';
import type { Extension, PhaseView, RunSettings } from './extension.ts';
import type { SessionOutput } from './outputs.ts';
import type { Clock, Hasher, Ids, LogWriter, Provider, ToolBox } from './ports.ts';
import type { PromptSurface } from './prompt/contract.ts';
import type { InputItem } from './replay/items.ts';
import type { ReplayTarget } from './replay/fold.ts';
import type { RequestProblem } from './replay/validator.ts';
import type { RunEnd } from './run-end.ts';
import type { SessionState } from './session-state.ts';
import type { Turn } from './turn.ts';

/** The children of the session, as its run sees them. */
export interface RunChildren {
  /** Resolves when one of them has come to an end, or the signal is aborted. */
  changed(signal: AbortSignal): Promise<void>;
  /** One of them waits for a person, and for how long that has been so in all: a steady count. */
  readonly isHeld: boolean;
  heldFor(): number;
  /** Ends those that are open, because the run ends. Resolves when that is on record. */
  close(end: RunEnd): Promise<void>;
}

/** What the steps of one run share: its ports, its fixed settings, and the present fold of the log. */
export interface TurnContext {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly hasher: Hasher;
  readonly log: Pick<LogWriter, 'saveStream' | 'clearStream'>;
  readonly provider: Provider;
  readonly tools: ToolBox;
  readonly surface: PromptSurface;
  readonly extensions: readonly Extension[];
  readonly settings: RunSettings;
  /** How long the turn has run until now: this run and those before it, without the waits between them. */
  elapsed(): number;
  /** Aborted when the run has to halt; `halt()` says why. */
  readonly signal: AbortSignal;
  halt(): RunEnd | null;
  /** Makes it halt. */
  abort(end: RunEnd): void;
  isAlive(process: CommandProcess): boolean;
  session(): SessionState;
  turn(): Turn;
  /** Durable first, then folded, then published. */
  record(drafts: readonly Draft[]): Promise<readonly KnownEvent[]>;
  publish(output: SessionOutput): void;
  /** The request's input, checked. */
  input(target: ReplayTarget): {
    readonly items: readonly InputItem[];
    readonly repairs: readonly RequestProblem[];
  };
  knowsCall(callId: string): boolean;
  /** The images that the log names, each once, the newest last. */
  images(): readonly CompactedImage[];
  readonly children: RunChildren;
  /** What a compaction of the log as it is now would be planned from. */
  compaction(target: ReplayTarget): CompactionView;
}

export function phaseView(context: TurnContext): PhaseView {
  return { session: context.session(), turn: context.turn(), settings: context.settings };
}
