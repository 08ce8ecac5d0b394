/** Pure: which lines of a text are others in another one. Exact, and therefore only for texts of a bounded size. */

/** Lines of the first text, from the first that differs to the one after the last; empty where lines are only added. */
export interface Hunk {
  readonly from: number;
  readonly to: number;
}

/** The same place in both texts. */
interface Pair {
  readonly one: Hunk;
  readonly other: Hunk;
}

const MOST_CELLS = 4_000_000;

/** Null where the texts are too large to say. */
export function hunksOf(one: string, other: string): readonly Hunk[] | null {
  return pairsOf(one, other)?.map((pair) => pair.one) ?? null;
}

function pairsOf(one: string, other: string): readonly Pair[] | null {
  const a = one.split('\n');
  const b = other.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const left = a.slice(start, a.length - end);
  const right = b.slice(start, b.length - end);
  if (left.length * right.length > MOST_CELLS) return null;
  return walked(left, right, start);
}

/** Along a longest row of lines that both have. */
function walked(left: readonly string[], right: readonly string[], offset: number): readonly Pair[] {
  const width = right.length + 1;
  const longest = new Uint32Array((left.length + 1) * width);
  const at = (row: number, column: number): number => longest[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      longest[row * width + column] =
        left[row] === right[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pairs: Pair[] = [];
  let row = 0;
  let column = 0;
  while (row < left.length || column < right.length) {
    const from = { row, column };
    while ((row < left.length || column < right.length) && left[row] !== right[column]) {
      if (column >= right.length || (row < left.length && at(row + 1, column) >= at(row, column + 1)))
        row += 1;
      else column += 1;
    }
    pairs.push({
      one: { from: offset + from.row, to: offset + row },
      other: { from: offset + from.column, to: offset + column },
    });
    while (row < left.length && column < right.length && left[row] === right[column]) {
      row += 1;
      column += 1;
    }
  }
  return pairs;
}

/**
 * Whether nothing that a change had made of `before` still stands in `now`: none of the lines that it wrote, wherever they
 * are by now, however far in and with whatever line ends; and where it only took lines away, those are there again. `made` is
 * what it had made. Null where that cannot be said.
 */
export function isTakenBack(texts: {
  readonly made: string;
  readonly before: string;
  readonly now: string;
}): boolean | null {
  const change = pairsOf(texts.made, texts.before);
  const since = hunksOf(texts.made, texts.now);
  const lacking = hunksOf(texts.before, texts.now);
  if (change === null || since === null || lacking === null) return null;
  const made = texts.made.split('\n');
  const [former, present] = [wordsOf(texts.before), wordsOf(texts.now)];
  const stands = (line: number): boolean => {
    const words = made[line]?.trim() ?? '';
    return !has(since, line) || (!former.has(words) && present.has(words));
  };
  return change.every(({ one: written, other: removed }) =>
    written.from < written.to
      ? !linesOf(written).some(stands)
      : !linesOf(removed).some((line) => has(lacking, line)),
  );
}

/** What its lines say, without what stands around it. */
function wordsOf(text: string): ReadonlySet<string> {
  return new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  );
}

/** Whether a text has more marks of a conflict than another: then somebody has still to choose. */
export function hasMoreConflicts(saved: string, before: string): boolean {
  return conflictsIn(saved) > conflictsIn(before);
}

function conflictsIn(text: string): number {
  return text.split('\n').filter((line) => /^(?:<{7}|>{7})(?:\s|$)/u.test(line)).length;
}

function linesOf({ from, to }: Hunk): readonly number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}

function has(hunks: readonly Hunk[], line: number): boolean {
  return hunks.some(({ from, to }) => from <= line && line < to);
}
