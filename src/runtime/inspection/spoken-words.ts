/**
 * Words that whoever shows them puts into the language of the person. A text alone is someone's own, such as a
 * title or a path, and stays as it is.
 */
export type Words = string | number | Sentence | Told | Span | Count | Moment;

/** Ours: `{0}`, `{1}` stand for the values. The English text is the key of its translation. */
export interface Sentence {
  readonly sentence: string;
  readonly values: readonly Words[];
}

/** A finished English sentence out of the log or of a check: its translation is found by its text. */
export interface Told {
  readonly told: string;
}

/** How long something took or may take. */
export interface Span {
  readonly ms: number;
}

/** How many of something, with its digits in groups. A number alone, such as a seq, has none. */
export interface Count {
  readonly count: number;
}

/** A time of the log, in UTC; whoever shows it says it as the person's clock does. */
export interface Moment {
  readonly at: string;
}

export function sentence(text: string, ...values: readonly Words[]): Sentence {
  return { sentence: text, values };
}

export function told(text: string): Told {
  return { told: text };
}

export function moment(at: string): Moment {
  return { at };
}

/** How long, where somebody said so. */
export function spanOf(ms: number | null): Words {
  return ms === null ? sentence('unknown') : { ms };
}

/** One after the other, with something between them that needs no translation. */
export function joined(parts: readonly Words[], between = ', '): Sentence {
  return { sentence: parts.map((_, index) => `{${index}}`).join(between), values: parts };
}

export function inEnglish(words: Words): string {
  if (typeof words !== 'object') return String(words);
  if ('told' in words) return words.told;
  if ('at' in words) return words.at;
  if ('ms' in words) return spanText(words, (seconds) => seconds.toFixed(1));
  if ('count' in words) return String(words.count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');
  return words.sentence.replaceAll(/\{(\d+)\}/gu, (_, index: string) =>
    inEnglish(words.values[Number(index)] ?? ''),
  );
}

/** As people read it: tenths below ten seconds, then the two largest units. */
export function spanText({ ms }: Span, tenths: (seconds: number) => string): string {
  if (ms < 50) return `<${tenths(0.1)} s`;
  if (ms < 9950) return `${tenths(ms / 1000)} s`;
  return wholeSecondsText({ ms });
}

/** Each unit in seconds, with the unit below it in seconds. */
const UNITS = [
  ['d', 86_400, 'h', 3600],
  ['h', 3600, 'min', 60],
  ['min', 60, 's', 1],
] as const;

/** The two largest units, such as `3 min 5 s` or `2 d 4 h`: nobody reads the seconds of a day. */
export function wholeSecondsText({ ms }: Span): string {
  const whole = Math.round(Math.max(0, ms) / 1000);
  const step = UNITS.find(([, seconds]) => whole >= seconds);
  if (step === undefined) return `${whole} s`;
  const [large, seconds, small, below] = step;
  const rest = Math.floor((whole % seconds) / below);
  return `${Math.floor(whole / seconds)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}
