import type { CacheDiagnostics, Continuation, TokenCounts, Transport } from './context-events.ts';
import type { ModelRequest, OutputItem, ProviderEvent, ProviderFailure } from './ports.ts';
import type { TurnContext } from './turn-context.ts';

/** What one stream came to. `text` is what had been shown. */
export type AttemptResult = {
  readonly stream_run_id: string;
  readonly text: string;
  readonly output_seen: boolean;
  readonly first_token_ms: number | null;
  readonly total_ms: number;
  /** Until the first word that was not thinking, or to the end. */
  readonly thought_ms: number;
  /** How the request went out. */
  readonly transport: Transport;
  readonly continuation: Continuation;
} & (
  | {
      readonly kind: 'completed';
      readonly items: readonly OutputItem[];
      readonly tokens: TokenCounts;
      readonly response_id: string | null;
      readonly unknown_events: readonly string[];
      readonly cache_diagnostics?: CacheDiagnostics;
    }
  | { readonly kind: 'failed'; readonly failure: ProviderFailure; readonly tokens: TokenCounts | null }
  | { readonly kind: 'halted' }
);

type Ending = Extract<ProviderEvent, { kind: 'completed' | 'failed' }> | { readonly kind: 'halted' };

type Live = Exclude<ProviderEvent, { kind: 'completed' | 'failed' }>;

const NOT_CONTINUED: Continuation = { attempted: false, used: false, reset_reason: null };

/** What a stream needs of its run. */
export interface AttemptContext extends Pick<
  TurnContext,
  'clock' | 'ids' | 'provider' | 'settings' | 'signal' | 'publish'
> {
  readonly log: Pick<TurnContext['log'], 'saveStream'>;
  turn(): { readonly turn_id: string };
}

/** Carries one provider stream through: shows its text, keeps it beside the log, watches for silence. */
export async function attempt(context: AttemptContext, request: ModelRequest): Promise<AttemptResult> {
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const showing = new Showing(context);
  const ending = await endOf(context, () => {
    const events = context.provider.stream(request, signal)[Symbol.asyncIterator]();
    return readToEnd(context, events, (event) => showing.show(event));
  });
  // Also ends a stream that fell silent or goes on after its end.
  stop.abort();
  showing.rest();
  const facts = showing.facts();
  if (ending.kind === 'halted') return { ...facts, kind: 'halted' };
  if (ending.kind === 'failed') {
    return { ...facts, kind: 'failed', failure: ending.failure, tokens: ending.tokens ?? null };
  }
  return { ...facts, ...ending };
}

/** What has been shown of one stream. */
class Showing {
  private readonly stream_run_id: string;
  private readonly turn_id: string;
  private readonly began: number;
  private text = '';
  private output_seen = false;
  /** Text has come, and nothing else since. Thoughts may come in many pieces, and nobody waits for their last word. */
  private flowing = false;
  private first_token_ms: number | null = null;
  private thought_ms: number | null = null;
  private sent: Pick<AttemptResult, 'transport' | 'continuation'>;

  constructor(private readonly context: AttemptContext) {
    this.sent = { transport: context.provider.transport, continuation: NOT_CONTINUED };
    this.stream_run_id = context.ids.next('stream');
    this.turn_id = context.turn().turn_id;
    this.began = context.clock.now();
  }

  show(event: Live): void {
    const { context, turn_id, stream_run_id } = this;
    if (event.kind === 'sent') {
      const { transport, continuation } = event;
      this.sent = { transport, continuation };
      return;
    }
    if (event.kind === 'activity') {
      this.output_seen ||= event.output;
      return this.rest();
    }
    this.output_seen = true;
    this.flowing = event.kind === 'text_delta';
    if (this.first_token_ms === null) {
      const since = context.clock.now();
      this.first_token_ms = since - this.began;
      context.publish({ kind: 'status', turn_id, activity: { kind: 'streaming', since } });
    }
    if (event.kind === 'text_delta') {
      this.thought_ms ??= context.clock.now() - this.began;
      this.text += event.text;
      context.log.saveStream({ turn_id, stream_run_id, text: this.text });
    }
    context.publish({ kind: event.kind, turn_id, stream_run_id, text: event.text });
  }

  /** Said before the end is read and written down, so that nobody waits for that to see words that are here. */
  rest(): void {
    if (!this.flowing) return;
    this.flowing = false;
    const { context, turn_id, stream_run_id } = this;
    context.publish({ kind: 'stream_rest', turn_id, stream_run_id });
  }

  facts(): Omit<Extract<AttemptResult, { kind: 'halted' }>, 'kind'> {
    const { stream_run_id, text, output_seen, first_token_ms } = this;
    const total_ms = this.context.clock.now() - this.began;
    const thought_ms = this.thought_ms ?? total_ms;
    return { ...this.sent, stream_run_id, text, output_seen, first_token_ms, total_ms, thought_ms };
  }
}

/** A provider that throws has a bug. What it showed before is kept all the same. */
async function endOf({ signal }: AttemptContext, read: () => Promise<Ending>): Promise<Ending> {
  try {
    return await read();
  } catch (error) {
    if (signal.aborted) return { kind: 'halted' };
    const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { kind: 'failed', failure: { kind: 'internal', message } };
  }
}

/** Until the stream ends, falls silent for too long, or the run halts: whichever is first. */
async function readToEnd(
  context: AttemptContext,
  events: AsyncIterator<ProviderEvent>,
  onLive: (event: Live) => void,
): Promise<Ending> {
  const silence = new Silence(context);
  try {
    return await Promise.race([read(context, events, silence, onLive), silence.ending]);
  } finally {
    silence.close();
  }
}

async function read(
  { signal }: AttemptContext,
  events: AsyncIterator<ProviderEvent>,
  silence: Silence,
  onLive: (event: Live) => void,
): Promise<Ending> {
  for (;;) {
    const next = await events.next();
    // Also when it was given up meanwhile: nothing of it is shown any more.
    if (signal.aborted || silence.isClosed) return { kind: 'halted' };
    if (next.done === true) {
      const message = 'the stream ended without a terminal event';
      return { kind: 'failed', failure: { kind: 'stream_cut', message } };
    }
    const event = next.value;
    if (event.kind === 'completed' || event.kind === 'failed') return event;
    silence.heard();
    onLive(event);
  }
}

/** Watches for silence with one timer, however much is heard: a stream may have thousands of events. */
class Silence {
  private readonly over = new AbortController();
  private heardAt: number;
  readonly ending: Promise<Ending>;

  constructor(private readonly context: AttemptContext) {
    this.heardAt = context.clock.now();
    this.ending = this.watch();
  }

  get isClosed(): boolean {
    return this.over.signal.aborted;
  }

  heard(): void {
    this.heardAt = this.context.clock.now();
  }

  close(): void {
    this.over.abort();
  }

  private async watch(): Promise<Ending> {
    const { clock, settings, signal } = this.context;
    const idle = settings.stream_idle_ms;
    const limit = AbortSignal.any([this.over.signal, signal]);
    for (;;) {
      // A clock that was set back makes nobody wait longer than once more.
      this.heardAt = Math.min(this.heardAt, clock.now());
      const left = this.heardAt + idle - clock.now();
      if (left <= 0) {
        const message = `nothing arrived for ${idle} ms`;
        return { kind: 'failed', failure: { kind: 'stream_idle', message } };
      }
      await clock.sleep(left, limit);
      if (limit.aborted) return { kind: 'halted' };
    }
  }
}
