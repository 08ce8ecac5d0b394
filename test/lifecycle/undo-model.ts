import * as fc from 'fast-check';
import type { Way } from '../../src/runtime/turn-changes.ts';

/** What undo and redo are meant to do, in the simplest way that can be said: no hashes, no log, no disk. */

export const PATHS = ['a.txt', 'b.txt', 'deep/er/c.txt'] as const;
export type Path = (typeof PATHS)[number];

/** Null where there is no file. */
export type Content = Buffer | null;

interface Made {
  readonly from: Content;
  readonly to: Content;
  standing: 'changed' | 'undone';
  /** Asked for, and not on record: whoever asks next finds out what became of it. */
  open: Way | null;
}

/** What one request does to a file. */
export type Fate = 'done' | 'refused';

export class UndoModel {
  readonly files = new Map<Path, Content>(PATHS.map((path) => [path, null]));
  readonly turns: Map<Path, Made>[] = [];

  content(path: Path): Content {
    return this.files.get(path) ?? null;
  }

  made(turn: number): Map<Path, Made> {
    return this.turns[turn] ?? new Map<Path, Made>();
  }

  turn(changes: ReadonlyMap<Path, { readonly from: Content; readonly to: Content }>): void {
    this.turns.push(
      new Map([...changes].map(([path, change]) => [path, { ...change, standing: 'changed', open: null }])),
    );
    for (const [path, { to }] of changes) this.files.set(path, to);
  }

  /** What becomes of each file that a request is about; files that it does not touch are not in it. */
  ask(turn: number, way: Way, only: Path | null): ReadonlyMap<Path, Fate> {
    const fates = new Map<Path, Fate>();
    const made = this.made(turn);
    for (const [path, one] of made) this.settle(path, one);
    for (const [path, one] of made) {
      if ((only !== null && path !== only) || one.standing !== before(way)) continue;
      one.open = null;
      const [start, end] = way === 'undo' ? [one.to, one.from] : [one.from, one.to];
      const isFree = same(this.content(path), start);
      fates.set(path, isFree ? 'done' : 'refused');
      if (!isFree) continue;
      this.files.set(path, end);
      one.standing = after(way);
    }
    return fates;
  }

  /** The request was cut off: of these files nothing is on record, and some of them were not touched. */
  cut(turn: number, way: Way, lost: readonly { readonly path: Path; readonly content: Content }[]): void {
    for (const { path, content } of lost) {
      const one = this.made(turn).get(path);
      if (one === undefined) continue;
      one.open = way;
      one.standing = before(way);
      this.files.set(path, content);
    }
  }

  private settle(path: Path, one: Made): void {
    if (one.open === null || one.standing !== before(one.open)) return;
    if (!same(this.content(path), one.open === 'undo' ? one.from : one.to)) return;
    one.standing = after(one.open);
    one.open = null;
  }
}

function before(way: Way): Made['standing'] {
  return way === 'undo' ? 'changed' : 'undone';
}

function after(way: Way): Made['standing'] {
  return way === 'undo' ? 'undone' : 'changed';
}

export function same(one: Content, other: Content): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}

export type Step =
  | { readonly kind: 'turn'; readonly writes: readonly { readonly path: Path; readonly text: string }[] }
  | { readonly kind: 'foreign'; readonly path: Path; readonly content: Content }
  | {
      readonly kind: 'ask';
      /** Counted from the first, and from the first again where there are not so many. */
      readonly turn: number;
      readonly way: Way;
      readonly path: Path | null;
      /** How many files are on record when the process ends, and whether one more was touched by then. */
      readonly cut: { readonly recorded: number; readonly touched: boolean } | null;
    }
  | { readonly kind: 'reopen' };

const path = fc.constantFrom(...PATHS);
/** Few, so that files come to be what they were by other ways as well. */
const text = fc.constantFrom('', 'one\n', 'two\r\nlines\r\n', 'three\nlines\nof it', '\u00E4 \u{1F642}\n');
const bytes = fc.oneof(
  text.map((words) => Buffer.from(words, 'utf8')),
  fc.uint8Array({ maxLength: 12 }).map((some) => Buffer.from(some)),
  fc.constant(Buffer.from('\uFEFFhi\r\n', 'utf16le')),
);

/** Three times in four there is none. */
function often<T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: some });
}

const turn = fc.record({
  kind: fc.constant('turn' as const),
  writes: fc.array(fc.record({ path, text }), { minLength: 1, maxLength: 4 }),
});
const ask = fc.record({
  kind: fc.constant('ask' as const),
  turn: fc.nat(5),
  way: fc.constantFrom<Way[]>('undo', 'redo'),
  path: fc.option(path, { freq: 1 }),
  cut: often(fc.record({ recorded: fc.nat(2), touched: fc.boolean() })),
});
const foreign = fc.record({
  kind: fc.constant('foreign' as const),
  path,
  content: fc.option(bytes, { freq: 3 }),
});

/** Turns at first, mostly, and then everything in any order. */
export const stories: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    fc.array(foreign, { maxLength: 2 }),
    fc.array(turn, { minLength: 1, maxLength: 2 }),
    fc.array(
      fc.oneof(
        { weight: 12, arbitrary: ask },
        { weight: 2, arbitrary: foreign },
        { weight: 1, arbitrary: turn },
        { weight: 1, arbitrary: fc.constant({ kind: 'reopen' as const }) },
      ),
      { minLength: 6, maxLength: 16 },
    ),
  )
  .map((parts) => parts.flat());
