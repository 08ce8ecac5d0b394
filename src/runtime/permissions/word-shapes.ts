import { FILES, UNKNOWN } from './possible-names.ts';
import type { Segment, Word } from './shell-word.ts';

/** More alternatives than these are not told apart. */
const MOST = 64;

/** The paths that a word may stand for, one for each of its alternatives: what is not known of them is open. */
export function shapesOf({ segments }: Word): readonly string[] {
  const [only] = segments;
  if (segments.length === 1 && only?.kind === 'expansion' && only.rough !== undefined)
    return alternatives(only.rough).map(withoutGlobs);
  return [segments.map(shapeOf).join('')];
}

function shapeOf(segment: Segment): string {
  if (segment.kind === 'literal') return segment.text;
  if (segment.origin === 'home') return '~';
  return segment.origin === 'files' ? FILES : UNKNOWN;
}

function withoutGlobs(text: string): string {
  return text.replaceAll(/[*?]|\[[^\]]*\]/gu, FILES);
}

/** `{a,b}c` is `ac` and `bc`. A row such as `{1..9}` is left open. */
function alternatives(text: string): readonly string[] {
  const done: string[] = [];
  const left = [text];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const group = /\{([^{}]*)\}/u.exec(next);
    if (group === null) done.push(next);
    else {
      const [whole, inside = ''] = group;
      const [before, after] = [next.slice(0, group.index), next.slice(group.index + whole.length)];
      const known = inside.includes(',') && done.length + left.length < MOST;
      for (const choice of known ? inside.split(',') : [UNKNOWN]) left.push(`${before}${choice}${after}`);
    }
  }
  return done;
}
