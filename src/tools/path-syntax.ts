import { posix, win32 } from 'node:path';
import { fault, ok, type Result } from './tool-faults.ts';

/** What a path may look like, decided from its characters alone. Nothing here touches the disk. */

export type Platform = NodeJS.Platform;

export function pathsOf(platform: Platform): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

/** Windows and macOS compare names without case, macOS also without normalisation. */
export function foldsCase(platform: Platform): boolean {
  return platform === 'win32' || platform === 'darwin';
}

export function foldName(name: string, platform: Platform): string {
  return foldsCase(platform) ? name.normalize('NFC').toLowerCase() : name;
}

export function segmentsOf(path: string, platform: Platform): readonly string[] {
  return path.split(platform === 'win32' ? /[\\/]+/ : /\/+/).filter((segment) => segment !== '');
}

/** The segments of `path` below `folder`, or undefined when it is not inside. Both absolute and normal. */
export function segmentsBelow(
  folder: string,
  path: string,
  platform: Platform,
): readonly string[] | undefined {
  const outer = segmentsOf(folder, platform);
  const inner = segmentsOf(path, platform);
  const inside = outer.every(
    (segment, at) => foldName(segment, platform) === foldName(inner[at] ?? '', platform),
  );
  return inside ? inner.slice(outer.length) : undefined;
}

const MAX_PATH_CHARS = 4_096;
// oxlint-disable-next-line no-control-regex -- control characters are what it is there to find
const CONTROL = /[\u0000-\u001f\u007f]/;
const URL_LIKE = /^(?:[a-z][a-z0-9+.-]+:\/\/|(?:file|https?|data|untitled|vscode-[a-z-]+):)/i;

/** Device names that Windows opens instead of a file, whatever follows the first dot. */
const RESERVED =
  /^(?:con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)\s*(?:\.|$)/i;

/** Refuses what could mean something else than a plain path in the workspace. */
export function checkPathSyntax(path: string, platform: Platform): Result<string> {
  if (path.trim() === '') return fault('invalid_path', 'The path is empty. Give a path in the workspace.');
  if (path.length > MAX_PATH_CHARS) {
    return fault('invalid_path', `The path has ${path.length} characters; at most ${MAX_PATH_CHARS} work.`);
  }
  if (CONTROL.test(path)) {
    return fault('invalid_path', 'The path contains a control character. Give it without.');
  }
  if (/^~(?:[\\/]|$)/.test(path)) {
    return fault('invalid_path', `${path}: "~" is not expanded. Give a path relative to the workspace.`);
  }
  if (URL_LIKE.test(path)) {
    return fault('invalid_path', `${path} is a URL. Give a path relative to the workspace.`);
  }
  return platform === 'win32' ? checkWindowsSyntax(path) : checkPosixSyntax(path);
}

function checkPosixSyntax(path: string): Result<string> {
  // A backslash is a legal character here, yet a model that writes one means a folder: refusing is the only
  // reading that never touches another file than the one meant.
  return path.includes('\\')
    ? fault('invalid_path', `${path} contains a backslash. Separate folders with "/".`)
    : ok(path);
}

function checkWindowsSyntax(path: string): Result<string> {
  if (/^[\\/]{2}[.?][\\/]/.test(path)) {
    return fault('invalid_path', `${path} is a device path. Give a path relative to the workspace.`);
  }
  if (/^[a-z]:(?![\\/])/i.test(path)) {
    return fault('invalid_path', `${path} is relative to a drive. Give a path relative to the workspace.`);
  }
  const tail = path.replace(/^[a-z]:/i, '');
  if (tail.includes(':')) {
    return fault('invalid_path', `${path} names a stream of a file (":"). Give the file itself.`);
  }
  if (/[<>"|?*]/.test(tail)) {
    return fault('invalid_path', `${path} contains a character that Windows does not allow in names.`);
  }
  for (const segment of segmentsOf(tail, 'win32')) {
    if (segment === '.' || segment === '..') continue;
    if (RESERVED.test(segment)) {
      return fault('invalid_path', `${path}: "${segment}" is a device on Windows. Choose another name.`);
    }
    if (/[. ]$/.test(segment)) {
      return fault('invalid_path', `${path}: "${segment}" ends with a dot or a space, which Windows drops.`);
    }
  }
  return ok(path);
}
