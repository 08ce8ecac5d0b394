/** A diff as Git writes it, file by file. */
interface Part {
  readonly text: string;
  /** Both names of a file that moved. Empty where they cannot be told. */
  readonly names: readonly string[];
}

export interface Kept {
  readonly text: string;
  /** Whether it still has the changes of any file. */
  readonly any: boolean;
}

/** Pure: what may not be sent is left out, and so is what cannot be told; that it was is said in its place. */
export function withoutFiles(diff: string, isKept: (name: string) => boolean): Kept {
  const judged = partsOf(diff).map((part) => ({
    part,
    kept: part.names.length > 0 && part.names.every(isKept),
  }));
  const texts = judged.map(({ part, kept }) => (kept ? part.text : noteOn(part)));
  return { text: texts.join(''), any: judged.some(({ kept }) => kept) };
}

function noteOn({ names }: Part): string {
  return names.length === 0
    ? '[Changes are left out here: of which file they are cannot be told.]\n'
    : `[The changes of ${names.join(', ')} are left out: they may not be sent.]\n`;
}

/** Pure: the names of the files in a diff, both of one that moved. */
export function namesIn(diff: string): readonly string[] {
  return [...new Set(partsOf(diff).flatMap(({ names }) => names))];
}

/** Pure: each file once, by the name that it has now. */
export function changedFiles(diff: string): readonly string[] {
  return [...new Set(partsOf(diff).flatMap(({ names }) => names.slice(-1)))];
}

/** Pure: a file that Git does not know yet, as Git would show it once it does. */
export function newFileDiff(name: string, text: string): string {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return [
    `diff --git ${quoted(`a/${name}`)} ${quoted(`b/${name}`)}`,
    'new file mode 100644',
    '--- /dev/null',
    `+++ ${quoted(`b/${name}`)}`,
    ...(lines.length === 0 ? [] : [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)]),
    '',
  ].join('\n');
}

/** Pure: the same of one that is not text. */
export function newBinaryDiff(name: string): string {
  const head = `diff --git ${quoted(`a/${name}`)} ${quoted(`b/${name}`)}\nnew file mode 100644\n`;
  return `${head}Binary files /dev/null and ${quoted(`b/${name}`)} differ\n`;
}

/** A name with a line break in it would look like a line of the diff. */
function quoted(name: string): string {
  return /["\\\p{Cc}]/u.test(name) ? JSON.stringify(name) : name;
}

function partsOf(diff: string): readonly Part[] {
  return diff
    .split(/^(?=diff --(?:git|cc|combined) )/m)
    .filter((text) => text.trim() !== '')
    .map((text) => ({ text, names: [...new Set(namesOf(text))] }));
}

function namesOf(part: string): readonly string[] {
  // What comes after is lines of the file, which may look like anything.
  const hunk = part.search(/^(?:@@|GIT binary patch)/m);
  const head = hunk < 0 ? part : part.slice(0, hunk);
  const merged = /^diff --(?:cc|combined) (.+)$/m.exec(head)?.[1];
  if (merged !== undefined) return [unquoted(merged)];
  const both = namesOfPair(/^diff --git (.+)$/m.exec(head)?.[1] ?? '');
  const changed = [...head.matchAll(/^(?:---|\+\+\+) (.+)$/gm)]
    .map((match) => unquoted(match[1] ?? ''))
    .filter((name) => name !== '/dev/null')
    .map((name) => (both.prefixed ? withoutFirst(name) : name));
  const moved = [...head.matchAll(/^(?:rename|copy) (?:from|to) (.+)$/gm)].map((match) =>
    unquoted(match[1] ?? ''),
  );
  return [...moved.slice(0, 1), ...both.names, ...changed, ...moved.slice(1)];
}

/**
 * The names in the first line of a part, where both are the same. Which letters stand before them, or whether any
 * do, is a setting of Git; of a file that moved, other lines have the names.
 */
function namesOfPair(pair: string): { readonly names: readonly string[]; readonly prefixed: boolean } {
  const middle = (pair.length - 1) / 2;
  const before = unquoted(pair.slice(0, Math.floor(middle)));
  const after = unquoted(pair.slice(Math.floor(middle) + 1));
  if (Number.isInteger(middle) && pair[middle] === ' ') {
    if (before === after) return { names: [before], prefixed: false };
    if (withoutFirst(before) === withoutFirst(after))
      return { names: [withoutFirst(before)], prefixed: true };
  }
  return { names: [], prefixed: true };
}

function withoutFirst(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
};

/** Git puts unusual names into quotes, byte by byte, and a tab behind those with a space. */
function unquoted(written: string): string {
  const name = written.replace(/\t$/, '');
  if (name.length < 2 || !name.startsWith('"') || !name.endsWith('"')) return name;
  const pieces = name.slice(1, -1).split(/\\([0-7]{3}|.)/);
  const bytes = pieces.map((piece, index) => {
    if (index % 2 === 0) return Buffer.from(piece);
    return /^\d{3}$/.test(piece)
      ? Buffer.from([Number.parseInt(piece, 8)])
      : Buffer.from(ESCAPES[piece] ?? piece);
  });
  return Buffer.concat(bytes).toString('utf8');
}
