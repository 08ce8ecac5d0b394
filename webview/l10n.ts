import { isRecord } from './fields.ts';

/** Translations by the English words, which are the fallback; none where there is no page, as in tests. */
const WORDS = wordsOf(globalThis.document?.querySelector<HTMLElement>('#app')?.dataset['words']);

/** The words in the person's language. `{0}`, `{1}` stand for the values. */
export function t(message: string, ...values: readonly (string | number)[]): string {
  const words = WORDS[message];
  const text = typeof words === 'string' ? words : message;
  return values.length === 0
    ? text
    : text.replaceAll(/\{(\d+)\}/g, (all, index: string) => String(values[Number(index)] ?? all));
}

function wordsOf(json: string | undefined): Readonly<Record<string, unknown>> {
  if (json === undefined) return {};
  const parsed: unknown = JSON.parse(json);
  return isRecord(parsed) ? parsed : {};
}
