import type { ProviderErrorKind } from '../runtime/provider-errors.ts';
import { SENTENCES } from './composed-sentences.ts';

/** Puts words into the person's language by their English text; `{0}`, `{1}` stand for the values. */
export type Translate = (message: string, ...values: string[]) => string;

/** Sentences whose last value is one of ours, or several: why something is damaged, or what is open. */
const TELLING: ReadonlySet<string> = new Set([
  'Line {0} of the log is damaged ({1}). The session is readable; nothing was changed.',
  'Line {0} is damaged: {1}. The session opens read-only; nothing was changed.',
  'The log is damaged: {0}.',
  'No live process could end {0}.',
]);

/** Longer texts are what a model or a tool wrote. */
const LONGEST = 2000;

/** Numbers as a language writes them. */
export type WriteCount = (count: number) => string;

const inEnglish: WriteCount = (count) => count.toLocaleString('en');

/** Pure: a finished English sentence of a lower layer in the person's language; itself where there is none. */
export function translatedSentence(text: string, t: Translate, write: WriteCount = inEnglish): string {
  if (text === '' || text.length > LONGEST) return text;
  const whole = t(text);
  if (whole !== text) return whole;
  if (!text.includes('\n')) return withValues(text, t, write);
  const lines = text.split('\n');
  return lines.map((line) => translatedSentence(line, t, write)).join('\n');
}

const PATTERNS = SENTENCES.map((sentence) => ({ sentence, pattern: patternOf(sentence) }));

function patternOf(sentence: string): RegExp {
  const fixed = sentence
    .split(/\{\d\}/u)
    .map((part) => part.replaceAll(/[$()*+./?[\\\]^{|}]/gu, String.raw`\$&`));
  return new RegExp(`^${fixed.join('(.+?)')}$`, 'u');
}

function withValues(text: string, t: Translate, write: WriteCount): string {
  for (const { sentence, pattern } of PATTERNS) {
    const values = pattern.exec(text)?.slice(1);
    if (values === undefined) continue;
    const told = values.map((value, index) => {
      if (isSentence(sentence, index)) return translatedSentence(value, t, write);
      if (TELLING.has(sentence) && index === values.length - 1) return toldOneByOne(value, t);
      return GROUPED.test(value) ? write(Number(value.replaceAll(',', ''))) : value;
    });
    return t(sentence, ...told);
  }
  const rest = withoutKind(text);
  return rest === text ? text : text.slice(0, -rest.length) + translatedSentence(rest, t, write);
}

/** The name of a fault, as it stands before the sentence of it where a log says why a child ended. */
const KIND = /^(stopped:[a-z_]+|[a-z]+(?:_[a-z]+)*): (?=\S)/u;

/** Written out: what the facts of each are is not for those who only show words. */
const PROVIDER_KINDS = {
  rate_limited: true,
  quota_exceeded: true,
  server_error: true,
  connection: true,
  tls: true,
  auth: true,
  missing_key: true,
  forbidden: true,
  model_not_found: true,
  context_overflow: true,
  invalid_request: true,
  image_rejected: true,
  reasoning_rejected: true,
  content_filter: true,
  refusal: true,
  output_limit: true,
  response_failed: true,
  response_cancelled: true,
  stream_cut: true,
  stream_idle: true,
  malformed_stream: true,
  empty_response: true,
  internal: true,
} as const satisfies Record<ProviderErrorKind, true>;

const OTHER_KINDS: ReadonlySet<string> = new Set(['user_cancelled', 'superseded', 'disconnect', 'unknown']);

/** Words of others may begin in the same way, and stay. */
function isKind(text: string): boolean {
  return text.startsWith('stopped:') || OTHER_KINDS.has(text) || Object.hasOwn(PROVIDER_KINDS, text);
}

/** Pure: why something ended, in words alone. */
export function withoutKind(reason: string): string {
  return reason.replace(KIND, (all, kind: string) => (isKind(kind) ? '' : all));
}

/** A number as English groups it. */
const GROUPED = /^\d{1,3}(?:,\d{3})+$/u;

function toldOneByOne(text: string, t: Translate): string {
  const whole = t(text);
  if (whole !== text) return whole;
  const parts = text.split(', ');
  return parts.map((part) => translatedSentence(part, t)).join(', ');
}

/** A value that stands where a sentence would is one; others are names and numbers. */
function isSentence(sentence: string, index: number): boolean {
  return new RegExp(`(?:^|\\. )\\{${index}\\}(?: [A-Z]|$)`, 'u').test(sentence);
}
