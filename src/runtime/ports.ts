import type { Delivery } from './agent-events.ts';
import type { CacheDiagnostics, CompactedImage, Continuation, Transport } from './context-events.ts';
import type {
  Attachment,
  CommandProcess,
  Draft,
  EventData,
  KnownEvent,
  Suspension,
  TokenCounts,
  ToolError,
} from './events.ts';
import type { ProviderErrorKind } from './provider-errors.ts';
import type { InputItem } from './replay/items.ts';

/** Everything the runtime needs from outside. It has no clock, disk, network or randomness of its own. */

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a count that nobody sets, unlike a clock on the wall: only differences mean something. */
  steady(): number;
  /** Resolves when the time has passed or the signal is aborted, whichever is first; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface Ids {
  next(
    kind: 'session' | 'event' | 'turn' | 'stream' | 'suspension' | 'decision' | 'agent' | 'workflow',
  ): string;
}

export interface Hasher {
  sha256(text: string): string;
}

export type AppendFailureKind =
  | 'disk_full'
  | 'write_failed'
  | 'sync_failed'
  | 'lease_lost'
  | 'log_conflict'
  | 'closed';

/**
 * The log could not take an event. It ends whatever is going on, so it is the one expected failure that is
 * thrown: nothing after it may be shown or done.
 */
export class AppendFailed extends Error {
  override readonly name = 'AppendFailed';
  constructor(
    readonly kind: AppendFailureKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The single writer of one session's log. */
export interface LogWriter {
  /**
   * Gives each draft its seq, in call order, and resolves when all are durable (written and synced).
   * Rejects with `AppendFailed`; after that every further append rejects too.
   */
  append(drafts: readonly Draft[]): Promise<readonly KnownEvent[]>;
  /** Keeps the text that is streaming in, beside the log. Best effort, at most every 250 ms. */
  saveStream(scratch: StreamScratch): void;
  clearStream(): Promise<void>;
}

export interface StreamScratch {
  readonly turn_id: string;
  readonly stream_run_id: string;
  readonly text: string;
}

// ---- tools -------------------------------------------------------------------------------------------

export type Effect = 'read' | 'write' | 'execute' | 'interact';

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, as the provider wants it (strict). */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly effect: Effect;
  /** Set where the arguments have a part of any shape, which strict schemas do not allow. */
  readonly strict?: false;
}

export interface PreparedCall {
  readonly call_id: string;
  readonly name: string;
  readonly effect: Effect;
  /** Parsed arguments; only the tool itself knows their type. */
  readonly input: unknown;
  /** Resources it writes: calls that share one never run together. */
  readonly writes: readonly string[];
  /** What it acts on, for people and for permission rules: a path or a command line. */
  readonly subject: string;
}

/** A skill as it was read when somebody called for it. */
export type ActiveSkill = Pick<EventData['skill_activation'], 'name' | 'path' | 'content' | 'content_hash'>;

export type FileChange = Omit<EventData['file_change'], 'turn_id' | 'call_id'>;

export type ToolOutcome =
  | {
      readonly kind: 'success';
      readonly output: string;
      readonly blob?: string;
      readonly changes: readonly FileChange[];
      /** There was more than the output tells, and it says so. */
      readonly truncated?: boolean;
      /** Ends of children that the output tells of. */
      readonly delivers?: readonly Delivery[];
      /** A skill for the turn that asked: its text goes on record with the output, which is one line about it. */
      readonly activates?: ActiveSkill;
      /** Images that the model gets to see with the output. */
      readonly attachments?: readonly Attachment[];
    }
  | {
      readonly kind: 'failure';
      readonly error: ToolError;
      readonly output?: string;
      readonly blob?: string;
      readonly changes: readonly FileChange[];
    }
  | { readonly kind: 'suspended'; readonly suspension: Omit<Suspension, 'id'> };

/** What a call would do, for whoever is asked about it. */
export interface CallPreview {
  /** Told with the question, beside the tool and its subject. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What the change starts from. An approval holds only as long as this stays the same. */
  readonly basis: { readonly path: string; readonly sha256: string | null };
}

export interface ToolContext {
  readonly signal: AbortSignal;
  /** Which call of which turn this is, where a turn asked for it. */
  readonly call?: { readonly call_id: string; readonly turn_id: string };
  /** Set when a person approved the call as it was shown: it fails where the file is another by now. */
  readonly basis?: CallPreview['basis'];
  /** Set when the call had suspended itself to get a decision: the payload, whatever it is. */
  readonly decision?: { readonly result: unknown };
  /** The images that the log of the session names. Default: none. */
  images?(): readonly CompactedImage[];
  /** Live display only. */
  progress(text: string): void;
  /**
   * For tools that execute: makes `running` durable, with the process. The tool awaits it before the process
   * does anything, so that nothing runs which the log does not know of.
   */
  started(process: CommandProcess): Promise<void>;
}

export type PreviewResult =
  | { readonly ok: true; readonly preview: CallPreview | null }
  | { readonly ok: false; readonly error: ToolError };

export interface ToolBox {
  /** The tools offered to the model, sorted by name. */
  readonly specs: readonly ToolSpec[];
  /** Parses the arguments. An unknown tool or bad arguments are an error result: nobody is asked. */
  prepare(call: {
    readonly call_id: string;
    readonly name: string;
    readonly args: string;
  }): { readonly ok: true; readonly call: PreparedCall } | { readonly ok: false; readonly error: ToolError };
  /**
   * What a call that changes a file would do; null for others. Nobody is asked about a change that cannot be
   * made: it fails here. Never rejects for what is wrong with the call.
   */
  preview(call: PreparedCall, signal: AbortSignal): Promise<PreviewResult>;
  /** Never rejects for what a tool or its input did wrong: that is an outcome. Ends soon after an abort. */
  run(call: PreparedCall, context: ToolContext): Promise<ToolOutcome>;
}

// ---- provider ----------------------------------------------------------------------------------------

export interface ModelRequest {
  readonly model: string;
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  readonly input: readonly InputItem[];
  readonly prompt_cache_key: string;
  readonly reasoning_effort: string | null;
  /** Set on calls beside the conversation: they neither continue its requests nor are continued. */
  readonly purpose?: 'compaction';
  /** The answer has to be JSON of this strict schema. */
  readonly text_format?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
}

export type OutputItem =
  | {
      readonly kind: 'message';
      readonly text: string;
      readonly phase?: string;
      readonly refusal?: string;
      /** Set where it goes back in another shape than it has at the provider: its parts are one, or only deltas told it. */
      readonly reshaped?: true;
    }
  | { readonly kind: 'reasoning'; readonly item: unknown }
  | { readonly kind: 'call'; readonly call_id: string; readonly name: string; readonly args: string };

export interface ProviderFailure {
  readonly kind: ProviderErrorKind;
  /** The provider's own words, for details; never a secret. */
  readonly message: string;
  readonly status?: number;
  readonly code?: string;
  readonly retry_after_ms?: number;
  readonly request_id?: string;
  /** Set where nothing was tried, because it could not have left: without a key, or without a place to go. */
  readonly unsent?: true;
  /**
   * The same request can be asked again at once, and will go out in another way: with its whole input where it
   * was a continuation, over server-sent events where it was over a socket, or without options that the endpoint
   * does not know. Only before any output.
   */
  readonly again?: 'full_input' | 'over_sse' | 'without_cache_options';
}

/** What one stream says, in order. It ends with exactly one `completed` or `failed`, or by the abort. */
export type ProviderEvent =
  | { readonly kind: 'text_delta'; readonly text: string }
  | { readonly kind: 'reasoning_delta'; readonly text: string }
  /** The request leaves, and how. Comes first, where it comes, and again once the provider has taken a continuation. */
  | { readonly kind: 'sent'; readonly transport: Transport; readonly continuation: Continuation }
  /** The provider is alive, or is making something we do not show: resets the idle timer. */
  | { readonly kind: 'activity'; readonly output: boolean }
  | {
      readonly kind: 'completed';
      readonly response_id: string | null;
      readonly items: readonly OutputItem[];
      readonly tokens: TokenCounts;
      readonly unknown_events: readonly string[];
      readonly cache_diagnostics?: CacheDiagnostics;
    }
  | { readonly kind: 'failed'; readonly failure: ProviderFailure; readonly tokens?: TokenCounts };

export interface Provider {
  /** Names where requests go, without secrets. Reasoning is only sent back to the endpoint it came from. */
  readonly endpoint: string;
  /** How requests go out, unless `sent` says otherwise. */
  readonly transport: Transport;
  /** One attempt, no retries. Failures are events, not exceptions. Ends promptly when aborted. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ProviderEvent>;
}
