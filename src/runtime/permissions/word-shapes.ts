import { FILES, ONE, UNKNOWN } from './possible-names.ts';
import type { Segment, Word } from './shell-word.ts';

/** Words with more braces, brackets or alternatives than these are not taken apart. */
const MOST_GROUPS = 32;
const MOST = 64;

/** Could be most of what is asked about: nobody writes such a word without a purpose. */
const ANYTHING = `.${FILES}`;

/** The paths that a word may stand for, one for each of its alternatives: what is not known of them is open. */
export function shapesOf({ segments }: Word): readonly string[] {
  const [only] = segments;
  if (segments.length === 1 && only?.kind === 'expansion' && only.rough !== undefined)
    return alternatives(only.rough).map(withoutGlobs);
  const shapes = segments.map(shapeOf);
  const givenInside = segments.flatMap((segment, at) => {
    const inside = segment.kind === 'expansion' ? insideOf(segment.text) : undefined;
    return inside === undefined ? [] : [shapes.with(at, inside).join('')];
  });
  return [shapes.join(''), ...givenInside];
}

function shapeOf(segment: Segment): string {
  if (segment.kind === 'literal') return segment.text;
  if (segment.origin === 'home') return '~';
  if (segment.origin !== 'files') return UNKNOWN;
  return segment.text === '*' ? FILES : ONE;
}

/** The text that an expansion brings with it: `${X:-a}`, `$'a'`. */
function insideOf(text: string): string | undefined {
  return /^\$\{\w+:?[-=+](.*)\}$/su.exec(text)?.[1] ?? /^\$'(.*)'$/su.exec(text)?.[1];
}

const GLOBS = /\*|\?|\[[!^]?\]?(?:\[:\w*:\]|[^\]])*\]/gu;

/** A text in which the shell, or the program that gets it, looks for files. */
export function withoutGlobs(text: string): string {
  if (text.split('[').length > MOST_GROUPS) return ANYTHING;
  return text.replaceAll(GLOBS, (glob) => (glob === '*' ? FILES : ONE));
}

/** `{a,b}c` is `ac` and `bc`. A row such as `{1..9}` is left open. */
function alternatives(text: string): readonly string[] {
  if (text.split('{').length > MOST_GROUPS) return [ANYTHING];
  const done: string[] = [];
  const left = [text];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const group = /\{([^{}]*)\}/u.exec(next);
    if (group === null) done.push(next);
    else {
      const [whole, inside = ''] = group;
      const [before, after] = [next.slice(0, group.index), next.slice(group.index + whole.length)];
      const choices = inside.includes(',') ? inside.split(',') : [UNKNOWN];
      if (done.length + left.length + choices.length > MOST) return [ANYTHING];
      for (const choice of choices) left.push(`${before}${choice}${after}`);
    }
  }
  return done;
}
