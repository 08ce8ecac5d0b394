import { fault, ok, type Result } from './tool-faults.ts';

/**
 * Globs without regular expressions: matching takes time in proportion to pattern and path, whatever the
 * pattern, so a hostile one cannot hang the host.
 */

type CharToken =
  | { readonly kind: 'char'; readonly value: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'star' }
  | {
      readonly kind: 'class';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    };

type SegmentToken =
  | { readonly kind: 'segments' }
  | { readonly kind: 'segment'; readonly chars: readonly CharToken[] };

export type PathMatcher = (segments: readonly string[]) => boolean;

const MAX_ALTERNATIVES = 256;

/** A glob as a person writes one: `*.ts`, `src/**`, `*.{js,ts}`. Without "/" it matches names at any depth. */
export function compileGlob(glob: string): Result<PathMatcher> {
  if (glob.startsWith('!')) {
    return fault('invalid_arguments', `The glob ${glob} starts with "!", which is not supported.`);
  }
  const alternatives = expandBraces(glob.replace(/^\.?\//, ''));
  if (alternatives === undefined) {
    return fault('invalid_arguments', `The glob ${glob} stands for more than ${MAX_ALTERNATIVES} patterns.`);
  }
  const matchers = alternatives.map((pattern) =>
    compilePattern(pattern, { anyDepth: !pattern.includes('/') }),
  );
  return ok((segments) => matchers.some((matches) => matches(segments)));
}

/** One pattern without braces, as gitignore has them. */
export function compilePattern(pattern: string, options: { readonly anyDepth: boolean }): PathMatcher {
  const tokens: SegmentToken[] = options.anyDepth ? [{ kind: 'segments' }] : [];
  const parts = pattern.split('/').filter((part) => part !== '');
  for (const part of parts) {
    tokens.push(part === '**' ? { kind: 'segments' } : { kind: 'segment', chars: parseSegment(part) });
  }
  // `dir/**` means what is inside, not the folder itself.
  if (parts.at(-1) === '**') tokens.push({ kind: 'segment', chars: [{ kind: 'star' }] });
  return (segments) =>
    matchSequence(
      tokens,
      segments,
      (token) => token.kind === 'segments',
      (token, segment) =>
        token.kind === 'segment' &&
        matchSequence(token.chars, Array.from(segment), (char) => char.kind === 'star', matchChar),
    );
}

/** Greedy matching that only ever goes back to the last star, which is enough and keeps it quadratic. */
function matchSequence<P, T>(
  pattern: readonly P[],
  items: readonly T[],
  isStar: (token: P) => boolean,
  matches: (token: P, item: T) => boolean,
): boolean {
  let p = 0;
  let i = 0;
  let starAt = -1;
  let starItem = 0;
  while (i < items.length) {
    const token = pattern[p];
    const item = items[i];
    if (token !== undefined && isStar(token)) {
      starAt = p;
      starItem = i;
      p += 1;
    } else if (token !== undefined && item !== undefined && matches(token, item)) {
      p += 1;
      i += 1;
    } else if (starAt !== -1) {
      starItem += 1;
      p = starAt + 1;
      i = starItem;
    } else {
      return false;
    }
  }
  return pattern.slice(p).every(isStar);
}

function matchChar(token: CharToken, char: string): boolean {
  switch (token.kind) {
    case 'char':
      return token.value === char;
    case 'one':
      return true;
    case 'star':
      return false;
    case 'class':
      return token.ranges.some(([from, to]) => from <= char && char <= to) !== token.negated;
  }
}

function parseSegment(segment: string): readonly CharToken[] {
  const chars = Array.from(segment);
  const tokens: CharToken[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    if (char === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    } else if (char === '?') {
      tokens.push({ kind: 'one' });
    } else if (char === '[') {
      const parsed = parseClass(chars, at);
      tokens.push(parsed?.token ?? { kind: 'char', value: '[' });
      at = parsed?.end ?? at;
    } else {
      if (char === '\\' && at + 1 < chars.length) at += 1;
      tokens.push({ kind: 'char', value: chars[at] ?? char });
    }
  }
  return tokens;
}

/** `[a-z]`, `[!a]`, `[^a]`; undefined when it is never closed, and then "[" is an ordinary character. */
function parseClass(
  chars: readonly string[],
  start: number,
): { readonly token: CharToken; readonly end: number } | undefined {
  let at = start + 1;
  const negated = chars[at] === '!' || chars[at] === '^';
  if (negated) at += 1;
  const ranges: (readonly [string, string])[] = [];
  for (const first = at; at < chars.length; at += 1) {
    if (chars[at] === ']' && at > first) return { token: { kind: 'class', negated, ranges }, end: at };
    if (chars[at] === '\\') at += 1;
    const from = chars[at] ?? '';
    const to = chars[at + 1] === '-' && chars[at + 2] !== ']' ? chars[at + 2] : undefined;
    if (to !== undefined) at += 2;
    ranges.push([from, to ?? from]);
  }
  return undefined;
}

/** Every pattern that a glob with braces stands for; undefined when there are too many. */
function expandBraces(glob: string): readonly string[] | undefined {
  const open = findUnescaped(glob, '{', 0);
  if (open === -1) return [glob];
  const parts = splitBraces(glob, open);
  if (parts === undefined) return [glob];
  const expanded: string[] = [];
  for (const option of parts.options) {
    const whole = expandBraces(glob.slice(0, open) + option + parts.rest);
    if (whole === undefined) return undefined;
    expanded.push(...whole);
    if (expanded.length > MAX_ALTERNATIVES) return undefined;
  }
  return expanded;
}

function splitBraces(
  glob: string,
  open: number,
): { readonly options: readonly string[]; readonly rest: string } | undefined {
  const options: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < glob.length; at += 1) {
    const char = glob[at];
    if (char === '\\') at += 1;
    else if (char === '{') depth += 1;
    else if (char === ',' && depth === 1) {
      options.push(glob.slice(from, at));
      from = at + 1;
    } else if (char === '}') {
      depth -= 1;
      if (depth === 0) return { options: [...options, glob.slice(from, at)], rest: glob.slice(at + 1) };
    }
  }
  return undefined;
}

function findUnescaped(text: string, char: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === char) return at;
  }
  return -1;
}
