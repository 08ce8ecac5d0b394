import { covers, literal, pathGlob } from './glob.ts';
import { couldBeNamed } from './possible-names.ts';

/** How rules are matched against paths of the workspace, which are separated by `/`. */

/** Exactly the path as it is written: an allow rule is never wider than it looks. */
export function allowsPath(glob: string, path: string): boolean {
  return covers(pathGlob(anchored(glob)), literal(withoutDot(path)));
}

/**
 * Whether a deny or ask rule means the path. Case does not matter, because on some disks it does not. A glob
 * without a slash means a name anywhere, and one that means all that is in a folder means the folder too.
 */
export function meansPath(glob: string, path: string): boolean {
  const whole = sameFile(withoutDot(path));
  const compared = isName(glob) ? whole.slice(whole.lastIndexOf('/') + 1) : whole;
  const pattern = pathGlob(sameFile(anchored(glob)));
  return [compared, `${compared}/`].some((one) => covers(pattern, literal(one)));
}

/** Whether a deny rule with this glob leaves nothing of its tool. */
export function meansEveryPath(glob: string): boolean {
  return /^(?:\.?\/)?(?:\*\*\/)*\*\*?$/.test(glob) && (isName(glob) || glob.includes('**'));
}

function isName(glob: string): boolean {
  return !glob.includes('/');
}

/** Globs start at the root of the workspace, with or without a slash; one that ends with a slash means all in it. */
function anchored(glob: string): string {
  const rooted = withoutDot(glob).replace(/^\/+/, '');
  return rooted.endsWith('/') ? `${rooted}**` : rooted;
}

function withoutDot(path: string): string {
  return path.replace(/^(?:\.\/+)+/, '');
}

/** Characters that a disk may ignore in names. */
const IGNORED = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g;

/** The same text for all spellings that some disk takes for the same name. */
export function sameFile(path: string): string {
  return path.replaceAll(IGNORED, '').normalize('NFC').toUpperCase().toLowerCase();
}

const DIRECTING = ['.vscode', '.ledgerline', '.agents'];

/** Files that direct this agent, other agents or the editor. Changing one is asked in every mode. */
export function isProtectedPath(path: string): boolean {
  const names = sameFile(path).split('/');
  return (
    couldBeNamed(names.at(-1) ?? '', 'agents.md') ||
    names.some((name) => DIRECTING.some((one) => couldBeNamed(name, one)))
  );
}
