import type { Dirent } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import type { HiddenPaths } from '../runtime/permissions/hidden-paths.ts';
import { decideIgnored, parseIgnoreRules, SKIPPED_FOLDERS, type IgnoreRules } from './ignore-rules.ts';
import { readWhole } from './opened-files.ts';
import { pathsOf } from './path-syntax.ts';
import { systemCode } from './tool-faults.ts';
import { denials, displayPath, type Workspace, type WorkspacePath } from './workspace-paths.ts';

/** Going through a folder in a fixed order, without following links, past what tools do not look at. */

export interface WalkEntry {
  readonly kind: 'file' | 'folder' | 'link' | 'special' | 'unreadable' | 'skipped' | 'denied' | 'hidden';
  readonly path: WorkspacePath;
}

export interface Walk {
  readonly workspace: Workspace;
  readonly start: WorkspacePath;
  readonly hidden: HiddenPaths;
  readonly signal: AbortSignal;
}

const SKIPPED: ReadonlySet<string> = new Set(SKIPPED_FOLDERS);
const IGNORE_FILE_BYTES = 1_024 * 1_024;

export function childPath(workspace: Workspace, folder: WorkspacePath, name: string): WorkspacePath {
  const segments = [...folder.segments, name];
  return {
    root: folder.root,
    segments,
    real: pathsOf(workspace.platform).join(folder.real, name),
    display: displayPath(workspace, folder.root, segments),
  };
}

/** Whether a path is hidden because of itself or of a folder that it is in, down from a number of segments. */
export function isHidden(
  { workspace, hidden }: Pick<Walk, 'workspace' | 'hidden'>,
  { root, segments }: WorkspacePath,
  from: number,
): boolean {
  if (!hidden.any) return false;
  for (let depth = from; depth <= segments.length; depth += 1) {
    if (hidden.hides(displayPath(workspace, root, segments.slice(0, depth)))) return true;
  }
  return false;
}

/** By bytes of UTF-8, as ripgrep sorts: JavaScript's own order differs beyond U+D800. */
export function compareNames(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a === b) continue;
    return isSurrogate(a) === isSurrogate(b) ? a - b : isSurrogate(a) ? 1 : -1;
  }
  return left.length - right.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** What .gitignore files from the root down say, read once each. */
export class IgnoreTree {
  private readonly rules = new Map<string, Promise<IgnoreRules>>();
  private readonly from: Promise<number>;

  constructor(private readonly walk: Walk) {
    this.from = this.firstDepth();
  }

  /** Whether an entry is left out, given that the folder it is in is not. */
  async leavesOut(path: WorkspacePath, entry: { readonly folder: boolean }): Promise<boolean> {
    if (entry.folder && SKIPPED.has(path.segments.at(-1) ?? '')) return true;
    return await this.ignores(path.segments, entry, await this.from);
  }

  /** Whether a file below the start is left out because of itself or of any folder on the way. */
  async leavesOutFile(path: WorkspacePath): Promise<boolean> {
    const from = await this.from;
    for (let depth = this.walk.start.segments.length + 1; depth <= path.segments.length; depth += 1) {
      const folder = depth < path.segments.length;
      if (folder && SKIPPED.has(path.segments[depth - 1] ?? '')) return true;
      if (await this.ignores(path.segments.slice(0, depth), { folder }, from)) return true;
    }
    return false;
  }

  /** A start that is itself left out was asked for by name: then only rules inside it count. */
  private async firstDepth(): Promise<number> {
    const { segments } = this.walk.start;
    for (let depth = 1; depth <= segments.length; depth += 1) {
      const skipped = SKIPPED.has(segments[depth - 1] ?? '');
      if (skipped || (await this.ignores(segments.slice(0, depth), { folder: true }, 0))) {
        return segments.length;
      }
    }
    return 0;
  }

  private async ignores(
    segments: readonly string[],
    entry: { readonly folder: boolean },
    from: number,
  ): Promise<boolean> {
    for (let depth = segments.length - 1; depth >= from; depth -= 1) {
      const rules = await this.rulesAt(segments.slice(0, depth));
      const decision = decideIgnored(rules, segments.slice(depth), entry);
      if (decision !== 'undecided') return decision === 'ignored';
    }
    return false;
  }

  private rulesAt(segments: readonly string[]): Promise<IgnoreRules> {
    const key = segments.join('/');
    const known = this.rules.get(key);
    if (known !== undefined) return known;
    const loading = this.load(segments);
    this.rules.set(key, loading);
    return loading;
  }

  private async load(segments: readonly string[]): Promise<IgnoreRules> {
    const { workspace, start, signal } = this.walk;
    const above = start.segments.map(() => '..');
    const rootReal = pathsOf(workspace.platform).join(start.real, ...above);
    let folder: WorkspacePath = { root: start.root, segments: [], real: rootReal, display: '.' };
    for (const segment of segments) folder = childPath(workspace, folder, segment);
    const file = childPath(workspace, folder, '.gitignore');
    const read = await readWhole(file, { platform: workspace.platform, limit: IGNORE_FILE_BYTES, signal });
    // A .gitignore that is missing, a link or unreadable has no rules, as for git.
    return read.ok ? parseIgnoreRules(read.value.bytes.toString('utf8')) : [];
  }
}

/** Depth first, names in order. The start itself is not yielded; what cannot be listed is. */
export async function* walkFolder(walk: Walk): AsyncGenerator<WalkEntry> {
  const ignore = new IgnoreTree(walk);
  const isDenied = denials(walk.workspace);
  const list = async (folder: WorkspacePath) => await entriesOf(folder, { walk, ignore, isDenied });
  const stack: WalkEntry[] = ((await list(walk.start)) ?? []).toReversed();
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    if (walk.signal.aborted) return;
    if (entry.kind !== 'folder') {
      yield entry;
      continue;
    }
    let inside: readonly WalkEntry[] | undefined;
    try {
      inside = await list(entry.path);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
    }
    yield inside === undefined ? { kind: 'unreadable', path: entry.path } : entry;
    if (inside === undefined) continue;
    for (let at = inside.length - 1; at >= 0; at -= 1) {
      const next = inside[at];
      if (next !== undefined) stack.push(next);
    }
  }
}

interface Listing {
  readonly walk: Walk;
  readonly ignore: IgnoreTree;
  readonly isDenied: ReturnType<typeof denials>;
}

/** The entries of a folder, or undefined when a link took its place after it was found. */
async function entriesOf(
  folder: WorkspacePath,
  { walk, ignore, isDenied }: Listing,
): Promise<readonly WalkEntry[] | undefined> {
  const listed = await readdir(folder.real, { withFileTypes: true });
  if ((await realpath(folder.real)) !== folder.real) return undefined;
  listed.sort((left, right) => compareNames(left.name, right.name));
  const entries: WalkEntry[] = [];
  for (const dirent of listed) {
    const path = childPath(walk.workspace, folder, dirent.name);
    const kind = kindOf(dirent);
    if (isDenied(path.segments, path.real) !== undefined) {
      entries.push({ kind: 'denied', path });
    } else if (walk.hidden.hides(path.display)) {
      entries.push({ kind: 'hidden', path });
    } else if (await ignore.leavesOut(path, { folder: kind === 'folder' })) {
      entries.push({ kind: 'skipped', path });
    } else {
      entries.push({ kind, path });
    }
  }
  return entries;
}

function kindOf(dirent: Dirent): 'file' | 'folder' | 'link' | 'special' {
  if (dirent.isSymbolicLink()) return 'link';
  if (dirent.isDirectory()) return 'folder';
  return dirent.isFile() ? 'file' : 'special';
}
