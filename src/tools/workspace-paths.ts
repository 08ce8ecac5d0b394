import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { denialOf, explainDenial, type Denial } from '../runtime/permissions/denied-paths.ts';
import {
  checkPathSyntax,
  foldName,
  pathsOf,
  segmentsBelow,
  segmentsOf,
  type Platform,
} from './path-syntax.ts';
import type { WorkspaceRoot } from './distinct-roots.ts';
import { fault, ok, systemCode, systemFault, type Result, type ToolFault } from './tool-faults.ts';

export interface Workspace {
  readonly roots: readonly WorkspaceRoot[];
  readonly storageDir: string;
  readonly platform: Platform;
}

/** A path that was allowed, with every link on the way followed. */
export interface WorkspacePath {
  /** Absolute and real: opening it follows no further link unless something changed since. */
  readonly real: string;
  /** For people, rules and the log: relative, "/" between folders, the folder's name first if several. */
  readonly display: string;
  readonly root: WorkspaceRoot;
  /** Segments below the root's real path. */
  readonly segments: readonly string[];
}

export type Resolution =
  | { readonly ok: true; readonly value: WorkspacePath }
  /** With the rule that denies it, for those who tell a person: the fault's words are the model's. */
  | { readonly ok: false; readonly error: ToolFault; readonly denial?: Denial };

/**
 * Decides which file a path from the model means. Links are followed to the end, including a last one that
 * dangles, and only the end counts: it must be inside a root and not denied. The name as it was written must
 * not be denied either. Synchronous, so that the same answer serves the gate and the tool.
 */
export function resolvePath(workspace: Workspace, path: string): Result<WorkspacePath> {
  const judged = judgePath(workspace, path);
  return judged.ok ? judged : { ok: false, error: judged.error };
}

/** The same, with the rule that denies it. */
export function judgePath(workspace: Workspace, path: string): Resolution {
  const syntax = checkPathSyntax(path, workspace.platform);
  if (!syntax.ok) return syntax;
  const placed = place(workspace, path);
  if (!placed.ok) return placed;

  const asWritten = locate(workspace, placed.value);
  if (asWritten !== undefined) {
    const denial = denialOf(asWritten.segments);
    if (denial !== undefined) return denied(path, denial);
  }
  try {
    const real = realTarget(existingSpelling(placed.value), workspace.platform, LINK_LIMIT);
    return admit(workspace, path, real);
  } catch (error) {
    return { ok: false, error: systemFault(error, path) };
  }
}

export function resolveRoot(workspace: Workspace, root: WorkspaceRoot): Result<WorkspacePath> {
  try {
    return admit(workspace, root.name, realpathSync.native(root.path));
  } catch (error) {
    return { ok: false, error: systemFault(error, root.path) };
  }
}

/** Decides about a path that is already absolute and real. */
function admit(workspace: Workspace, asked: string, real: string): Resolution {
  const located = locate(workspace, real);
  if (located === undefined) {
    return fault(
      'outside_workspace',
      `${asked} is outside the workspace. Use a path below ${describeRoots(workspace)}.`,
    );
  }
  const denial = denials(workspace)(located.segments, real);
  if (denial !== undefined) return denied(asked, denial);
  return ok({ real, display: displayPath(workspace, located.root, located.segments), ...located });
}

function denied(asked: string, denial: Denial): Resolution {
  return { ...fault('denied_path', explainDenial(asked, denial)), denial };
}

/** Why a real path is denied, if it is; looks up the storage folder once for any number of paths. */
export function denials(
  workspace: Workspace,
): (segments: readonly string[], real: string) => Denial | undefined {
  const storage = realOrSame(workspace.storageDir);
  return (segments, real) =>
    segmentsBelow(storage, real, workspace.platform) === undefined ? denialOf(segments) : 'storage';
}

export function displayPath(workspace: Workspace, root: WorkspaceRoot, segments: readonly string[]): string {
  const shown = workspace.roots.length > 1 ? [root.name, ...segments] : segments;
  return shown.length === 0 ? '.' : shown.join('/');
}

/** The key under which writers to one file are serialised. */
export function writeKey(workspace: Workspace, path: WorkspacePath): string {
  return foldName(path.real, workspace.platform);
}

const LINK_LIMIT = 40;

/** The absolute path that was written, before any link is followed. */
function place(workspace: Workspace, path: string): Result<string> {
  const paths = pathsOf(workspace.platform);
  const [only, ...others] = workspace.roots;
  if (only === undefined) return fault('outside_workspace', 'No folder is open, so there are no files.');
  if (paths.isAbsolute(path)) return ok(paths.resolve(only.path, path));
  if (others.length === 0) return ok(paths.resolve(only.path, path));

  // Several folders: a path without a folder's name could mean any of them, and which one would depend on
  // what exists at the moment. Permission rules need one meaning, so the name is required.
  const [first, ...rest] = segmentsOf(path, workspace.platform).filter((segment) => segment !== '.');
  const named = workspace.roots.find(
    (root) => foldName(root.name, workspace.platform) === foldName(first ?? '', workspace.platform),
  );
  return named === undefined
    ? fault('invalid_path', `${path}: start the path with its folder: ${describeRoots(workspace)}.`)
    : ok(paths.resolve(named.path, ...rest));
}

function describeRoots(workspace: Workspace): string {
  return workspace.roots.length > 1
    ? workspace.roots.map((root) => `${root.name}/`).join(', ')
    : (workspace.roots[0]?.path ?? 'a folder');
}

function locate(
  workspace: Workspace,
  absolute: string,
): { readonly root: WorkspaceRoot; readonly segments: readonly string[] } | undefined {
  let best: { readonly root: WorkspaceRoot; readonly segments: readonly string[] } | undefined;
  for (const root of workspace.roots) {
    const segments =
      segmentsBelow(realOrSame(root.path), absolute, workspace.platform) ??
      segmentsBelow(root.path, absolute, workspace.platform);
    if (segments !== undefined && (best === undefined || segments.length < best.segments.length)) {
      best = { root, segments };
    }
  }
  return best;
}

function realOrSame(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return path;
  }
}

/** A name typed by a model is composed (NFC); one that came from a Mac may be stored decomposed (NFD). */
function existingSpelling(path: string): string {
  const spellings = [path, path.normalize('NFC'), path.normalize('NFD')];
  return spellings.find((spelling) => lstatSync(spelling, { throwIfNoEntry: false }) !== undefined) ?? path;
}

/** Where a path ends when every link is followed, also when the end does not exist yet. */
function realTarget(path: string, platform: Platform, linksLeft: number): string {
  const paths = pathsOf(platform);
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    const parent = paths.dirname(path);
    if (parent === path) throw error;
    const realParent = realTarget(parent, platform, linksLeft);
    const here = paths.join(realParent, paths.basename(path));
    const entry = lstatSync(here, { throwIfNoEntry: false });
    if (entry?.isSymbolicLink() !== true) return here;
    if (linksLeft === 0) throw error;
    return realTarget(paths.resolve(realParent, readlinkSync(here)), platform, linksLeft - 1);
  }
}
