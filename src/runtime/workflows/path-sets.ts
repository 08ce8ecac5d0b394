import type { StepSpec, WorkflowSpec } from '../agent-events.ts';

/**
 * Which steps must not run together, by the paths that they say they write and read. In doubt two paths overlap: a
 * step that waits for nothing costs time, two that write one file cost work.
 */

export interface PathComparison {
  /** Set where the file system takes names that differ in case for one. */
  readonly ignores_case: boolean;
}

/** For each step the others that it never runs beside. */
export type Conflicts = ReadonlyMap<string, ReadonlySet<string>>;

/** Pure: a step that writes runs beside none that writes or reads the same. Without a write set, a step writes nothing. */
export function conflictsOf({ steps }: WorkflowSpec, how: PathComparison): Conflicts {
  const found = new Map<string, Set<string>>(steps.map(({ id }) => [id, new Set<string>()]));
  const compiled = steps.map((step) => compiledSets(step, how));
  const work = { left: MOST_WORK };
  compiled.forEach((one, index) => {
    for (const other of compiled.slice(index + 1)) {
      if (!collide(one, other, work)) continue;
      found.get(one.id)?.add(other.id);
      found.get(other.id)?.add(one.id);
    }
  });
  return found;
}

/** Pure: whether some path could be meant by an entry of each. */
export function overlap(one: readonly string[], other: readonly string[], how: PathComparison): boolean {
  return meet(compiledPaths(one, how), compiledPaths(other, how), { left: MOST_WORK });
}

interface CompiledSets {
  readonly id: string;
  readonly writes: readonly Path[];
  readonly reads: readonly Path[];
}

function compiledSets({ id, write_set, read_set }: StepSpec, how: PathComparison): CompiledSets {
  return { id, writes: compiledPaths(write_set, how), reads: compiledPaths(read_set, how) };
}

/** Patterns can be written so that comparing them takes for ever: what was not compared overlaps. */
interface Work {
  left: number;
}

/** A second or two. */
const MOST_WORK = 8_000_000;

function collide(one: CompiledSets, other: CompiledSets, work: Work): boolean {
  return (
    meet(one.writes, other.writes, work) ||
    meet(one.writes, other.reads, work) ||
    meet(one.reads, other.writes, work)
  );
}

function meet(these: readonly Path[], those: readonly Path[], work: Work): boolean {
  return these.some((one) => those.some((other) => work.left <= 0 || pathsMeet(one, other, work)));
}

/** Any number of characters of a name, and one of them. Others stand for themselves. */
const ANY = -1;
const ONE = -2;

/** With its tokens where it has wildcards. */
interface Name {
  readonly text: string;
  readonly tokens: readonly number[] | null;
}

/** Names below each other; `null` for any number of them. */
type Path = readonly (Name | null)[];

function compiledPaths(paths: readonly string[], { ignores_case }: PathComparison): readonly Path[] {
  return paths.flatMap((path) => {
    // A glob without a folder may be meant for files anywhere, as it is where files are listed.
    const below: Path = !path.includes('/') && /[*?[{]/u.test(path) ? [null] : [];
    const given = ignores_case ? path.normalize('NFC').toLowerCase() : path;
    return alternatives(given).map((one) => [...below, ...compiled(one)]);
  });
}

function compiled(path: string): Path {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  return names.map((name) => (name === '**' ? null : compiledName(name)));
}

function compiledName(text: string): Name {
  return { text, tokens: /[*?[]/u.test(text) ? tokensOf(text) : null };
}

function tokensOf(name: string): readonly number[] {
  const tokens: number[] = [];
  for (const [piece] of name.matchAll(/\*+|\?|\[[^\]]*\]|[^]/gu)) {
    if (piece.startsWith('*')) tokens.push(ANY);
    else if (piece === '?' || piece.length > 2) tokens.push(ONE);
    else tokens.push(piece.codePointAt(0) ?? 0);
  }
  return tokens;
}

const MOST_ALTERNATIVES = 64;

/** What braces stand for. Where that is too much, or they are nested, anything from there on. */
function alternatives(path: string): readonly string[] {
  let found = [''];
  let rest = path;
  for (let braces = firstBraces(rest); braces !== null; braces = firstBraces(rest)) {
    const { before, options, after } = braces;
    found = found.flatMap((one) => options.map((option) => one + before + option));
    if (found.length > MOST_ALTERNATIVES || options.some((option) => option.includes('{'))) return ['**'];
    rest = after;
  }
  return found.map((one) => one + rest);
}

function firstBraces(
  path: string,
): { readonly before: string; readonly options: readonly string[]; readonly after: string } | null {
  const {
    before = '',
    inside = '',
    after = '',
  } = /^(?<before>[^{]*)\{(?<inside>[^}]*)\}(?<after>[^]*)$/u.exec(path)?.groups ?? {};
  if (before === '' && inside === '' && after === '') return null;
  return { before, options: inside.split(','), after };
}

/**
 * Whether some path is meant by both. One that ends where the other goes on is the folder of it, and who writes a
 * folder may write what is in it.
 */
function pathsMeet(one: Path, other: Path, work: Work): boolean {
  const places = reachable(one, other, {
    isAny: (name) => name === null,
    match: (a, b) => namesMeet(a, b, work),
  });
  work.left -= places.length;
  return places.some(([i, j]) => i === one.length || j === other.length);
}

function namesMeet(one: Name | null, other: Name | null, work: Work): boolean {
  if (one === null || other === null) return true;
  if (one.tokens === null && other.tokens === null) return one.text === other.text;
  const [these, those] = [one.tokens ?? tokensOf(one.text), other.tokens ?? tokensOf(other.text)];
  const places = reachable(these, those, {
    isAny: (token) => token === ANY,
    match: (a, b) => a === b || a < 0 || b < 0,
  });
  work.left -= places.length;
  return places.some(([i, j]) => i === these.length && j === those.length);
}

type Places = readonly (readonly [one: number, other: number])[];

/** Every pair of places that two sequences with wildcards can have come to by reading the same. */
function reachable<T>(
  one: readonly T[],
  other: readonly T[],
  { isAny, match }: { readonly isAny: (token: T) => boolean; readonly match: (a: T, b: T) => boolean },
): Places {
  const width = other.length + 1;
  const seen = new Uint8Array((one.length + 1) * width);
  const places: (readonly [number, number])[] = [];
  const visit = (i: number, j: number): void => {
    if (i > one.length || j > other.length || seen[i * width + j] === 1) return;
    seen[i * width + j] = 1;
    places.push([i, j]);
  };
  visit(0, 0);
  for (const [i, j] of places) {
    const a = one[i];
    const b = other[j];
    // A wildcard may be nothing.
    if (a !== undefined && isAny(a)) visit(i + 1, j);
    if (b !== undefined && isAny(b)) visit(i, j + 1);
    if (a === undefined || b === undefined || !match(a, b)) continue;
    visit(isAny(a) ? i : i + 1, isAny(b) ? j : j + 1);
  }
  return places;
}
