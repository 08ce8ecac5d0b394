import type { AttemptResult } from '../attempt.ts';
import type { CompactionTrigger } from '../context-events.ts';
import { draft } from '../events.ts';
import type { TurnContext } from '../turn-context.ts';
import { TAILS } from './plan.ts';
import { compactionDrafts, prepareCompaction } from './prepare.ts';

type Failed = Extract<AttemptResult, { kind: 'failed' }>;

/** How a socket ends that took in too much: it is closed, cut off, or nothing that can be read comes out of it. */
const BROKEN: ReadonlySet<string> = new Set(['connection', 'stream_cut', 'malformed_stream']);
/** What the API says when a socket has reached its longest age. */
const SOCKET_TOO_OLD = 'websocket_connection_limit_reached';

/** Pure: whether a failed call is one that a smaller request could mend. Never once something has come out. */
export function roomTrigger(
  { failure, output_seen, transport }: Failed,
  { critical }: { readonly critical: boolean },
): Extract<CompactionTrigger, 'overflow_recovery' | 'websocket_critical_recovery'> | null {
  if (output_seen) return null;
  if (failure.kind === 'context_overflow') return 'overflow_recovery';
  // A socket that did not come about, or is given up, says nothing of the size: it is asked in another way. One that was
  // open for too long is ended whatever goes over it.
  const broke = BROKEN.has(failure.kind) && failure.again === undefined && failure.code !== SOCKET_TOO_OLD;
  return broke && critical && transport === 'websocket' ? 'websocket_critical_recovery' : null;
}

const WORDS = {
  overflow_recovery:
    'The provider said that the request is too large. History was compacted, and it is asked again.',
  websocket_critical_recovery:
    'The connection broke while the context window was nearly full. History was compacted, and it is asked again.',
} as const;

/** Makes room for one model call, with a smaller tail each time, and at last not at all. */
export class RoomMaker {
  private left: readonly number[] = TAILS;
  private readonly made: { readonly tail: number; readonly tokens_after: number }[] = [];

  /** Nothing could be compacted, because a call before it all is still pending. */
  isHeld = false;

  constructor(
    private readonly context: TurnContext,
    private readonly critical: boolean,
  ) {}

  /** What was tried, for whoever has to be told that it was not enough. */
  get attempts(): readonly { readonly tail: number; readonly tokens_after: number }[] {
    return this.made;
  }

  /** Answers whether the next request is smaller. It is on record then. */
  async make(result: Failed): Promise<boolean> {
    const trigger = roomTrigger(result, { critical: this.critical });
    if (trigger === null) return false;
    const { context } = this;
    const { turn_id } = context.turn();
    for (let [tail] = this.left; tail !== undefined; [tail] = this.left) {
      this.left = this.left.slice(1);
      // By rules alone: whoever cannot take the request is not asked for a summary of it.
      const prepared = await prepareCompaction(context, { trigger, tail, turn_id }, 'deterministic_v1');
      this.isHeld = prepared.kind === 'held';
      if (prepared.kind !== 'ready') continue;
      const { tokens_before, tokens_after } = prepared.record;
      // What it says was done is in every log that says so, wherever that ends.
      await context.record([
        ...compactionDrafts(prepared),
        draft('diagnostic', {
          turn_id,
          stream_run_id: result.stream_run_id,
          code: trigger,
          message: WORDS[trigger],
          details: { tail, tokens_before, tokens_after, failure: result.failure },
          next_actions: [],
        }),
      ]);
      this.made.push({ tail, tokens_after });
      return true;
    }
    return false;
  }
}
