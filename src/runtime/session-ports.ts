import type { DecisionVerdict, Remembered } from './decisions.ts';
import type { CommandProcess } from './events.ts';
import type { Extension, RunSettings } from './extension.ts';
import type { SessionOutput } from './outputs.ts';
import type { Clock, Hasher, Ids, Provider, ToolBox, ToolSpec } from './ports.ts';
import type { RunEnd } from './run-end.ts';
import type { TurnRecord } from './session-state.ts';

export interface SessionPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly hasher: Hasher;
  readonly publish: (output: SessionOutput) => void;
  /** Whether a command that an earlier run started is still there. */
  readonly isAlive: (process: CommandProcess) => boolean;
  /** Keeps what "always" stands for. Never rejects: what cannot be kept is told, and asked again next time. */
  readonly remember: (rules: Remembered) => Promise<void>;
  /** Where the session can have children. */
  readonly children?: ChildKeeper;
}

/** Who has the children of a session in hand. */
export interface ChildKeeper {
  /** Ends those that are open, because the session's run ends so. Resolves when their ends are on record. */
  closeAll(end: RunEnd): Promise<void>;
  /** Nothing more can be recorded: they stop, and the next open finds out. */
  abandon(): void;
}

/** What one run uses. Asked for when it starts, so that a changed setting counts from the next turn on. */
export interface RunPorts {
  readonly provider: Provider;
  readonly tools: ToolBox;
  readonly extensions: readonly Extension[];
  readonly settings: RunSettings;
  readonly app_version: string;
  /** The tools that the model is told of, where these are not all. */
  readonly offered?: readonly ToolSpec[];
  /** What the model is told of skills. Default: nothing. */
  readonly skill_index?: string;
}

export type SendOutcome = { readonly kind: 'started' | 'duplicate'; readonly turn: TurnRecord };

export type DecideOutcome =
  | { readonly kind: 'accepted'; readonly call_id: string }
  | Exclude<DecisionVerdict, { kind: 'record' }>;
