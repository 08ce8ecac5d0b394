import type { TokenCounts } from '../../src/runtime/events.ts';
import type {
  Clock,
  ModelRequest,
  OutputItem,
  Provider,
  ProviderEvent,
  ProviderFailure,
} from '../../src/runtime/ports.ts';

/** What one stream does, step by step. */
export type Step =
  | ProviderEvent
  | { readonly kind: 'pause'; readonly ms: number }
  /** Says nothing more until it is aborted. */
  | { readonly kind: 'hang' }
  /** Says nothing more, and does not hear the abort either. */
  | { readonly kind: 'hang_deaf' }
  | { readonly kind: 'throw'; readonly error: Error }
  | { readonly kind: 'do'; readonly act: () => void };

export type Script = readonly Step[];

export const TOKENS: TokenCounts = { input: 100, cached: 40, output: 10, reasoning: 4, total: 110 };

/** A model that says what it was told to, one script a request. */
export class ScriptedProvider implements Provider {
  readonly transport = 'offline' as const;
  readonly requests: ModelRequest[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly scripts: readonly Script[],
    readonly endpoint = 'https://models.test/v1',
  ) {}

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ProviderEvent> {
    const script = this.scripts[this.requests.length];
    this.requests.push(request);
    if (script === undefined) throw new Error(`no script for request ${this.requests.length}`);
    yield* played(script, this.clock, signal);
  }
}

/** One stream, as its script says. */
export async function* played(
  script: Script,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent> {
  for (const step of script) {
    if (signal.aborted) return;
    switch (step.kind) {
      case 'pause':
        await clock.sleep(step.ms, signal);
        break;
      case 'hang':
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
        break;
      case 'hang_deaf':
        await new Promise(() => undefined);
        break;
      case 'throw':
        throw step.error;
      case 'do':
        step.act();
        break;
      case 'text_delta':
      case 'reasoning_delta':
      case 'activity':
      case 'sent':
      case 'completed':
      case 'failed':
        yield step;
    }
  }
}

export const HANG: Step = { kind: 'hang' };

export function text(value: string): Step {
  return { kind: 'text_delta', text: value };
}

export function message(value: string, phase?: string): OutputItem {
  return { kind: 'message', text: value, ...(phase === undefined ? {} : { phase }) };
}

export function reasoning(id: string): OutputItem {
  return { kind: 'reasoning', item: { id, type: 'reasoning', summary: [], encrypted_content: `enc-${id}` } };
}

export function call(call_id: string, name: string, args: unknown = {}): OutputItem {
  return { kind: 'call', call_id, name, args: JSON.stringify(args) };
}

export function completed(items: readonly OutputItem[], tokens: TokenCounts = TOKENS): Step {
  return { kind: 'completed', response_id: 'resp', items, tokens, unknown_events: [] };
}

/** A response as it streams: its text first, then the items. */
export function responds(...items: readonly OutputItem[]): Script {
  const deltas = items.flatMap((item) => (item.kind === 'message' ? [text(item.text)] : []));
  return [...deltas, completed(items)];
}

/** The answer that ends most turns. */
export const DONE: Script = responds(message('Done.'));

export function fails(kind: ProviderFailure['kind'], more: Partial<ProviderFailure> = {}): Step {
  return { kind: 'failed', failure: { kind, message: `the provider says ${kind}`, ...more } };
}
