import { lstat } from 'node:fs/promises';
import * as z from 'zod';
import type { HiddenPaths } from '../runtime/permissions/hidden-paths.ts';
import { unreachable } from '../runtime/unreachable.ts';
import { compileGlob, type PathMatcher } from './glob.ts';
import { isHiddenStart, startPaths, startTarget } from './path-targets.ts';
import { CANCELLED, fault, ok, systemFault, type Result } from './tool-faults.ts';
import type { ToolLimits } from './tool-limits.ts';
import { defineTool, failed, succeeded, type Tool } from './tool.ts';
import { isHidden, walkFolder, type Walk, type WalkEntry } from './workspace-walk.ts';
import { resolvePath, type Workspace, type WorkspacePath } from './workspace-paths.ts';

const ListFiles = z.strictObject({
  path: z.string().nullish().describe('Folder to list. Default: the whole workspace.'),
  glob: z
    .string()
    .min(1)
    .nullish()
    .describe('Only files that match, such as *.ts or src/**/*.ts, relative to path.'),
});

export interface ListFilesOptions {
  readonly workspace: Workspace;
  readonly limits: ToolLimits;
  /** What rules hide from a call that starts there, as they are now. */
  readonly hidden: (start: string) => HiddenPaths;
}

export function listFilesTool({ workspace, limits, hidden: hiddenBelow }: ListFilesOptions): Tool {
  return defineTool({
    name: 'list_files',
    description:
      'Lists files and folders recursively, sorted; folders end with "/". Returns at most 1,000 entries. ' +
      'Leaves out .git, node_modules and the like, what .gitignore names, and files that may hold secrets; ' +
      'give a left-out folder as path to look inside. Links are shown, not followed.',
    effect: 'read',
    schema: ListFiles,
    target(input) {
      const glob = compileOptional(input.glob);
      return glob.ok ? startTarget(workspace, input.path) : glob;
    },
    async run(input, { signal }, subject) {
      const glob = compileOptional(input.glob);
      if (!glob.ok) return failed(glob.error);
      const hidden = hiddenBelow(subject);
      const starts = startPaths(workspace, input.path, subject);
      if (!starts.ok) return failed(starts.error);
      const listing = new Listing({ workspace, hidden, limits });
      for (const start of starts.value) {
        if (isHiddenStart(start, { subject, hidden })) {
          listing.leaveOut();
          continue;
        }
        const added = await addFolder(listing, { workspace, start, hidden, signal, matches: glob.value });
        if (!added.ok) return failed(added.error);
      }
      const outcome = succeeded(listing.render(subject));
      return listing.isCut ? { ...outcome, truncated: true } : outcome;
    },
  });
}

/** A missing glob lets everything through. */
export function compileOptional(glob: string | null | undefined): Result<PathMatcher | undefined> {
  return glob === null || glob === undefined ? ok(undefined) : compileGlob(glob);
}

interface ListedFolder {
  readonly workspace: Workspace;
  readonly start: WorkspacePath;
  readonly hidden: HiddenPaths;
  readonly signal: AbortSignal;
  readonly matches: PathMatcher | undefined;
}

async function addFolder(listing: Listing, folder: ListedFolder): Promise<Result<void>> {
  const { start, signal, matches } = folder;
  try {
    if (!(await lstat(start.real)).isDirectory()) {
      return fault('not_a_file', `${start.display} is not a folder. Use read_file to read a file.`);
    }
    for await (const entry of walkFolder(folder)) {
      const below = entry.path.segments.slice(start.segments.length);
      const wanted = matches === undefined || (entry.kind !== 'folder' && matches(below));
      if (!listing.add(entry, { wanted })) return ok(undefined);
    }
  } catch (error) {
    return { ok: false, error: systemFault(error, start.display) };
  }
  return signal.aborted ? { ok: false, error: CANCELLED } : ok(undefined);
}

const NAMED_FOLDERS = 8;

class Listing {
  private readonly shown: string[] = [];
  private readonly skipped: string[] = [];
  private unshown = 0;
  private bytes = 0;
  private denied = 0;
  private hidden = 0;
  private visited = 0;

  private readonly limits: ToolLimits;

  constructor(private readonly walk: Pick<Walk, 'workspace' | 'hidden'> & { readonly limits: ToolLimits }) {
    this.limits = walk.limits;
  }

  leaveOut(): void {
    this.hidden += 1;
  }

  /** Answers whether to go on. */
  add(entry: WalkEntry, { wanted }: { readonly wanted: boolean }): boolean {
    this.visited += 1;
    if (this.visited > this.limits.listVisited) return false;
    const line = this.lineFor(entry);
    if (line === undefined || !wanted) return true;
    this.bytes += Buffer.byteLength(line) + 1;
    const full = this.shown.length >= this.limits.listEntries || this.bytes > this.limits.listBytes;
    if (full) this.unshown += 1;
    else this.shown.push(line);
    return true;
  }

  /** There is more than is told. */
  get isCut(): boolean {
    return this.unshown > 0 || this.visited > this.limits.listVisited;
  }

  render(subject: string): string {
    const notes: string[] = [];
    if (this.shown.length === 0) notes.push(`Nothing to list in ${subject}.`);
    if (this.unshown > 0) {
      const more = this.visited > this.limits.listVisited ? `more than ${this.unshown}` : `${this.unshown}`;
      notes.push(`${more} further entries are not shown; give a path or a glob.`);
    } else if (this.visited > this.limits.listVisited) {
      notes.push(`Stopped after ${this.limits.listVisited} entries; give a path.`);
    }
    if (this.skipped.length > 0) {
      const named = this.skipped.slice(0, NAMED_FOLDERS).join(', ');
      const others = this.skipped.length - NAMED_FOLDERS;
      notes.push(`Left out as ignored: ${named}${others > 0 ? ` and ${others} more` : ''}.`);
    }
    if (this.denied > 0) notes.push(`Left out as denied (secrets, version control): ${this.denied}.`);
    if (this.hidden > 0) notes.push(`Left out because a rule denies or asks about it: ${this.hidden}.`);
    return [...this.shown, ...(notes.length > 0 ? [`[${notes.join(' ')}]`] : [])].join('\n');
  }

  private lineFor({ kind, path }: WalkEntry): string | undefined {
    switch (kind) {
      case 'file':
        return path.display;
      case 'folder':
        return `${path.display}/`;
      case 'link':
        return this.linkLine(path);
      case 'special':
        return `${path.display} (not a regular file)`;
      case 'unreadable':
        return `${path.display}/ (cannot be listed)`;
      case 'skipped':
        this.skipped.push(path.display);
        return undefined;
      case 'denied':
        this.denied += 1;
        return undefined;
      case 'hidden':
        this.hidden += 1;
        return undefined;
      default:
        return unreachable(kind);
    }
  }

  /** A link to what is hidden would tell of it. */
  private linkLine(path: WorkspacePath): string | undefined {
    const { workspace } = this.walk;
    const end = resolvePath(workspace, path.real);
    if (!end.ok) return `${path.display} -> (${end.error.kind})`;
    const top = workspace.roots.length > 1 ? 0 : 1;
    if (!isHidden(this.walk, end.value, top)) return `${path.display} -> ${end.value.display}`;
    this.hidden += 1;
    return undefined;
  }
}
