import type { LogEvent } from './events.ts';
import type { AppendFailureKind } from './ports.ts';

/** What a session tells its presenters. Only `committed` is a fact; the rest is live display. */
export type SessionOutput =
  | { readonly kind: 'committed'; readonly events: readonly LogEvent[] }
  | {
      readonly kind: 'text_delta';
      readonly turn_id: string;
      readonly stream_run_id: string;
      readonly text: string;
    }
  | {
      readonly kind: 'reasoning_delta';
      readonly turn_id: string;
      readonly stream_run_id: string;
      readonly text: string;
    }
  /** No delta follows for now: something else came of the stream, or its end. What is held back can be shown. */
  | { readonly kind: 'stream_rest'; readonly turn_id: string; readonly stream_run_id: string }
  | {
      readonly kind: 'tool_progress';
      readonly turn_id: string;
      readonly call_id: string;
      readonly text: string;
    }
  | { readonly kind: 'status'; readonly turn_id: string; readonly activity: Activity }
  /** The log can take nothing more: nothing of what was going on may be believed done. */
  | { readonly kind: 'append_failed'; readonly failure: AppendFailureKind; readonly message: string }
  /** A bug, after the log had already been closed: nothing is lost, but someone should know. */
  | { readonly kind: 'internal_error'; readonly message: string };

/** What a running turn is doing, with the time it began. */
export type Activity =
  | { readonly kind: 'requesting'; readonly attempt: number; readonly since: number }
  | { readonly kind: 'streaming'; readonly since: number }
  | { readonly kind: 'compacting'; readonly since: number }
  | {
      readonly kind: 'retrying';
      readonly attempt: number;
      readonly delay_ms: number;
      readonly error_kind: string;
      readonly since: number;
    }
  | { readonly kind: 'running_tools'; readonly calls: readonly string[]; readonly since: number }
  | { readonly kind: 'awaiting_children'; readonly children: readonly string[]; readonly since: number };
