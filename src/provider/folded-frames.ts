import type { ProviderEvent, ProviderFailure } from '../runtime/ports.ts';
import { TransportFailed } from './failures.ts';
import { reduceEnd, reduceFrame, START, type StreamState } from './response-stream.ts';

/** How long it takes to hand words on, from program to program. */
const BREATH_MS = 6;

export interface Folding {
  readonly signal: AbortSignal;
  /** What is waited for between the last frame and what it says. */
  readonly atEnd?: () => Promise<unknown>;
}

/** What the frames of one response say, to its end. Ends without a word when it is aborted. */
export async function* foldedFrames(
  frames: AsyncIterator<unknown, void, undefined>,
  { signal, atEnd }: Folding,
): AsyncGenerator<ProviderEvent, void, undefined> {
  let state: StreamState = START;
  let wasFlowing = false;
  for (;;) {
    // Closing ends whatever the step waits for: no race with the signal, which would pile up promises.
    const step = await stepOf(frames);
    if (signal.aborted) return;
    if (step.kind !== 'frame') {
      yield step.kind === 'end' ? reduceEnd() : { kind: 'failed', failure: step.failure };
      return;
    }
    const reduction = reduceFrame(state, step.frame);
    if (reduction.state.kind === 'ended') {
      await atEnd?.();
      if (signal.aborted) return;
    }
    for (const event of reduction.events) yield event;
    if (reduction.state.kind === 'ended') return;
    state = reduction.state;
    const isFlowing = reduction.events.some(isDelta);
    if (wasFlowing && !isFlowing) await breath();
    wasFlowing = isFlowing;
  }
}

type Step =
  | { readonly kind: 'frame'; readonly frame: unknown }
  | { readonly kind: 'end' }
  | { readonly kind: 'threw'; readonly failure: ProviderFailure };

export async function stepOf(frames: AsyncIterator<unknown, void, undefined>): Promise<Step> {
  try {
    const { done, value } = await frames.next();
    return done === true ? { kind: 'end' } : { kind: 'frame', frame: value };
  } catch (error) {
    return { kind: 'threw', failure: failureOf(error) };
  }
}

function isDelta({ kind }: ProviderEvent): boolean {
  return kind === 'text_delta' || kind === 'reasoning_delta';
}

/**
 * What follows the last words says all of them again, several times, and reading it takes the thread. Whoever shows
 * the words hands them on in a turn of the event loop of its own, and gets it here, before.
 */
function breath(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, BREATH_MS);
  });
}

export function failureOf(error: unknown): ProviderFailure {
  for (let one = error, depth = 0; one instanceof Error && depth < 10; one = one.cause, depth += 1) {
    if (one instanceof TransportFailed) return one.failure;
    if (one instanceof SyntaxError) {
      return { kind: 'malformed_stream', message: 'The stream is malformed: a frame is not JSON.' };
    }
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { kind: 'internal', message };
}
