/** A short account of a change: counts and the lines around it. Not a patch. */

export interface LineChange {
  readonly added: number;
  readonly removed: number;
  readonly excerpt: string;
}

const CONTEXT = 2;
const LINE_CHARS = 200;

export interface DiffBounds {
  readonly lines: number;
  readonly bytes: number;
}

export function describeChange(before: string, after: string, bounds: DiffBounds): LineChange {
  const old = linesOf(before);
  const now = linesOf(after);
  const hunks = changedHunks(old, now);
  const rows: string[] = [];
  let added = 0;
  let removed = 0;
  for (const hunk of hunks) {
    removed += hunk.oldTo - hunk.oldFrom;
    added += hunk.newTo - hunk.newFrom;
    if (rows.length > bounds.lines) continue;
    rows.push(`@@ line ${Math.max(0, hunk.newFrom - CONTEXT) + 1} @@`);
    rows.push(...slice(now, hunk.newFrom - CONTEXT, hunk.newFrom, ' '));
    rows.push(...slice(old, hunk.oldFrom, hunk.oldTo, '-'));
    rows.push(...slice(now, hunk.newFrom, hunk.newTo, '+'));
    rows.push(...slice(now, hunk.newTo, hunk.newTo + CONTEXT, ' '));
  }
  const shown = within(rows, bounds);
  const rest = shown.length < rows.length ? ['[The rest of the change is not shown.]'] : [];
  return { added, removed, excerpt: [...shown, ...rest].join('\n') };
}

function within(rows: readonly string[], { lines, bytes }: DiffBounds): readonly string[] {
  let room = bytes;
  let end = 0;
  for (const row of rows.slice(0, lines)) {
    room -= Buffer.byteLength(row) + 1;
    if (room < 0) break;
    end += 1;
  }
  return rows.slice(0, end);
}

interface Hunk {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

const MAX_HUNKS = 200;
const RESYNC_LINES = 200;

/** Goes through both texts together; after a difference it looks a little way ahead for where they meet. */
function changedHunks(old: readonly string[], now: readonly string[]): readonly Hunk[] {
  let oldEnd = old.length;
  let newEnd = now.length;
  let start = 0;
  while (start < oldEnd && start < newEnd && old[start] === now[start]) start += 1;
  while (oldEnd > start && newEnd > start && old[oldEnd - 1] === now[newEnd - 1]) {
    oldEnd -= 1;
    newEnd -= 1;
  }
  const hunks: Hunk[] = [];
  let a = start;
  let b = start;
  while (a < oldEnd || b < newEnd) {
    if (a < oldEnd && b < newEnd && old[a] === now[b]) {
      a += 1;
      b += 1;
      continue;
    }
    const meet =
      hunks.length < MAX_HUNKS ? nextMeeting(old.slice(a, oldEnd), now.slice(b, newEnd)) : undefined;
    const oldTo = meet === undefined ? oldEnd : a + meet.old;
    const newTo = meet === undefined ? newEnd : b + meet.now;
    hunks.push({ oldFrom: a, oldTo, newFrom: b, newTo });
    a = oldTo;
    b = newTo;
  }
  return hunks;
}

function nextMeeting(
  old: readonly string[],
  now: readonly string[],
): { readonly old: number; readonly now: number } | undefined {
  const places = new Map<string, number>();
  for (const [at, line] of now.slice(0, RESYNC_LINES).entries()) {
    if (line.trim() !== '' && !places.has(line)) places.set(line, at);
  }
  for (const [at, line] of old.slice(0, RESYNC_LINES).entries()) {
    const place = places.get(line);
    if (place !== undefined) return { old: at, now: place };
  }
  return undefined;
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function slice(lines: readonly string[], from: number, to: number, sign: string): readonly string[] {
  return lines.slice(Math.max(0, from), to).map((line) => `${sign}${cut(line)}`);
}

function cut(line: string): string {
  return line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)}…` : line;
}
