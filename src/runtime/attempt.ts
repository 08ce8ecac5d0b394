import type { TokenCounts } from './events.ts';
import type { ModelRequest, OutputItem, ProviderEvent, ProviderFailure } from './ports.ts';
import type { TurnContext } from './turn-context.ts';

/** What one stream came to. `text` is what had been shown. */
export type AttemptResult = {
  readonly stream_run_id: string;
  readonly text: string;
  readonly output_seen: boolean;
  readonly first_token_ms: number | null;
  readonly total_ms: number;
} & (
  | {
      readonly kind: 'completed';
      readonly items: readonly OutputItem[];
      readonly tokens: TokenCounts;
      readonly response_id: string | null;
      readonly unknown_events: readonly string[];
    }
  | { readonly kind: 'failed'; readonly failure: ProviderFailure; readonly tokens: TokenCounts | null }
  | { readonly kind: 'halted' }
);

type Ending = Extract<ProviderEvent, { kind: 'completed' | 'failed' }> | { readonly kind: 'halted' };

/** Carries one provider stream through: shows its text, keeps it beside the log, watches for silence. */
export async function attempt(context: TurnContext, request: ModelRequest): Promise<AttemptResult> {
  const { clock, provider, settings } = context;
  const stream_run_id = context.ids.next('stream');
  const turn_id = context.turn().turn_id;
  const began = clock.now();
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  let text = '';
  let outputSeen = false;
  let firstToken: number | null = null;

  const show = (
    event: Extract<ProviderEvent, { kind: 'text_delta' | 'reasoning_delta' | 'activity' }>,
  ): void => {
    if (event.kind === 'activity') {
      outputSeen ||= event.output;
      return;
    }
    outputSeen = true;
    if (firstToken === null) {
      firstToken = clock.now() - began;
      context.publish({ kind: 'status', turn_id, activity: { kind: 'streaming', since: clock.now() } });
    }
    if (event.kind === 'text_delta') {
      text += event.text;
      context.log.saveStream({ turn_id, stream_run_id, text });
    }
    context.publish({ kind: event.kind, turn_id, stream_run_id, text: event.text });
  };

  const ending = await endOf(() => provider.stream(request, signal)[Symbol.asyncIterator]());
  stop.abort();
  const facts = {
    stream_run_id,
    text,
    output_seen: outputSeen,
    first_token_ms: firstToken,
    total_ms: clock.now() - began,
  };
  if (ending.kind === 'halted') return { ...facts, kind: 'halted' };
  if (ending.kind === 'failed')
    return { ...facts, kind: 'failed', failure: ending.failure, tokens: ending.tokens ?? null };
  const { items, tokens, response_id, unknown_events } = ending;
  return { ...facts, kind: 'completed', items, tokens, response_id, unknown_events };

  /** A provider that throws has a bug. What it showed before is kept all the same. */
  async function endOf(open: () => AsyncIterator<ProviderEvent>): Promise<Ending> {
    try {
      return await readToEnd(open());
    } catch (error) {
      if (context.signal.aborted) return { kind: 'halted' };
      const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      return { kind: 'failed', failure: { kind: 'internal', message } };
    }
  }

  async function readToEnd(iterator: AsyncIterator<ProviderEvent>): Promise<Ending> {
    for (;;) {
      const next = await orIdle(iterator.next());
      if (context.signal.aborted) return { kind: 'halted' };
      if (next === 'idle') {
        return {
          kind: 'failed',
          failure: { kind: 'stream_idle', message: `nothing arrived for ${settings.stream_idle_ms} ms` },
        };
      }
      if (next.done === true)
        return {
          kind: 'failed',
          failure: { kind: 'stream_cut', message: 'the stream ended without a terminal event' },
        };
      const event = next.value;
      if (event.kind === 'completed' || event.kind === 'failed') return event;
      show(event);
    }
  }

  async function orIdle<T>(work: Promise<T>): Promise<T | 'idle'> {
    const timer = new AbortController();
    const limit = AbortSignal.any([timer.signal, context.signal]);
    try {
      return await Promise.race([
        work,
        clock.sleep(settings.stream_idle_ms, limit).then(() => 'idle' as const),
      ]);
    } finally {
      timer.abort();
      // An abandoned read may still fail: it has been answered for above.
      work.catch(() => undefined);
    }
  }
}
