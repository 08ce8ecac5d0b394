import { translatedSentence } from '../src/presenter/host-sentences.ts';
import { sayingIn, type Say } from '../src/presenter/speech.ts';
import { isRecord, own } from './fields.ts';

/** Translations by the English words, which are the fallback; none where there is no page, as in tests. */
const WORDS = wordsOf(globalThis.document?.querySelector<HTMLElement>('#app')?.dataset['words']);

/** The words in the person's language. `{0}`, `{1}` stand for the values. */
export function t(message: string, ...values: readonly (string | number)[]): string {
  const words = own(WORDS, message);
  const text = typeof words === 'string' ? words : message;
  return values.length === 0
    ? text
    : text.replaceAll(/\{(\d+)\}/g, (all, index: string) => String(values[Number(index)] ?? all));
}

/** A finished sentence of the host, or of the log, in the person's language. */
export function translated(sentence: string): string {
  return translatedSentence(sentence, t, whole);
}

const LANGUAGE = globalThis.document?.documentElement.lang || 'en';

/** Words that a lower layer put together, in the person's language. */
export const say: Say = sayingIn({ t, tag: LANGUAGE });

const WHOLE = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 });
const TENTHS = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Numbers as the person's language writes them. */
export function whole(value: number): string {
  return WHOLE.format(value);
}

export function tenths(value: number): string {
  return TENTHS.format(value);
}

function wordsOf(json: string | undefined): Readonly<Record<string, unknown>> {
  if (json === undefined) return {};
  const parsed: unknown = JSON.parse(json);
  return isRecord(parsed) ? parsed : {};
}
