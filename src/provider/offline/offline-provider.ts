import { createHash } from 'node:crypto';
import type { ModelRequest, OutputItem, Provider, ProviderEvent } from '../../runtime/ports.ts';
import { NO_COUNTS } from '../token-counts.ts';
import { argumentsFor, offlineReply } from './offline-reply.ts';
import type { ScriptStep } from './script-step.ts';

export interface OfflineProviderOptions {
  /** Resolves when the time has passed or the signal is aborted; never rejects. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const BRISK_MS = 8;
const SLOW_MS = 250;
/** However long it is, at a brisk pace a text is there within a third of a second. */
const MAX_BRISK_PIECES = 40;

/** An embedded, scripted, deterministic model: no network, no key, and no claim to be more than that. */
export function createOfflineProvider(options: OfflineProviderOptions = {}): Provider {
  const { sleep = pause } = options;
  return {
    endpoint: 'offline',
    transport: 'offline',
    async *stream(request, signal) {
      for (const { event, wait } of performance(request)) {
        if (wait > 0) await sleep(wait, signal);
        if (signal.aborted) return;
        yield event;
      }
    },
  };
}

interface Beat {
  readonly event: ProviderEvent;
  readonly wait: number;
}

function* performance(request: ModelRequest): Generator<Beat, void, undefined> {
  const step = offlineReply(request);
  const wait = step.pace === 'slow' ? SLOW_MS : BRISK_MS;
  yield { event: { kind: 'activity', output: false }, wait: 0 };
  for (const text of pieces(step.reasoning, MAX_BRISK_PIECES)) {
    yield { event: { kind: 'reasoning_delta', text }, wait };
  }
  for (const text of pieces(step.text, step.pace === 'slow' ? Number.POSITIVE_INFINITY : MAX_BRISK_PIECES)) {
    yield { event: { kind: 'text_delta', text }, wait };
  }
  if (step.ending.kind === 'failed') {
    const { failure, after_output } = step.ending;
    if (after_output) yield { event: { kind: 'activity', output: true }, wait };
    yield { event: { kind: 'failed', failure }, wait };
    return;
  }
  if (step.calls.length > 0) yield { event: { kind: 'activity', output: true }, wait };
  const items = outputItems(step, request);
  // A script counts no tokens: unknown, not zero.
  yield {
    event: { kind: 'completed', response_id: null, items, tokens: NO_COUNTS, unknown_events: [] },
    wait: 0,
  };
}

function outputItems(step: ScriptStep, request: ModelRequest): readonly OutputItem[] {
  // Ids follow from the whole input: the same request gets the same ids, and no two requests of a log share one.
  const id = createHash('sha256').update(JSON.stringify(request.input)).digest('hex').slice(0, 24);
  const items: OutputItem[] = [];
  if (step.reasoning !== '') {
    const item = {
      id: `rs_offline_${id}`,
      type: 'reasoning',
      summary: step.reasoning.split('\n\n').map((text) => ({ type: 'summary_text', text })),
      encrypted_content: `offline:${id}`,
    };
    items.push({ kind: 'reasoning', item });
  }
  if (step.text !== '') items.push({ kind: 'message', text: step.text });
  for (const [index, { name, args }] of step.calls.entries()) {
    const tool = request.tools.find((one) => one.name === name);
    items.push({ kind: 'call', call_id: `call_${id}_${index}`, name, args: argumentsFor(tool, args) });
  }
  return items;
}

/** Words with the white space that follows them, in groups when there are more than the limit. */
function pieces(text: string, limit: number): readonly string[] {
  const words = text.match(/\s*\S+\s*?(?=\s|$)/gu) ?? [];
  const rest = text.slice(words.join('').length);
  const all = rest === '' ? words : [...words, rest];
  const size = Math.max(1, Math.ceil(all.length / limit));
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size).join(''),
  );
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
