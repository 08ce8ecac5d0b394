import type { Place } from './nodes.ts';

export type LinkTarget =
  | { readonly kind: 'web'; readonly href: string }
  | { readonly kind: 'file'; readonly place: Place }
  /** Not to be opened. */
  | { readonly kind: 'none' };

const NONE: LinkTarget = { kind: 'none' };
const OPENABLE: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
const WEB_START = /^(?:https?:\/\/|mailto:)[^\s\\]/i;
/** White space, controls, changes of direction and joiners have no business in an address. */
const UNSEEN = /[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const MAX_CHARS = 2_000;

/** Pure: what an address from a model may do. Everything that is not surely harmless does nothing. */
export function linkTarget(address: string): LinkTarget {
  if (address.length > MAX_CHARS) return NONE;
  if (WEB_START.test(address)) return webTarget(address);
  const place = placeOf(address);
  return place === null ? NONE : { kind: 'file', place };
}

function webTarget(address: string): LinkTarget {
  if (UNSEEN.test(address)) return NONE;
  const url = URL.parse(address);
  if (url === null || !OPENABLE.has(url.protocol)) return NONE;
  // What stands before an `@` only looks like where it leads.
  return url.username === '' && url.password === '' ? { kind: 'web', href: url.href } : NONE;
}

/** Files that have no extension. */
export const KNOWN_NAMES =
  'Makefile|makefile|GNUmakefile|Dockerfile|Containerfile|Jenkinsfile|Vagrantfile|Procfile|Gemfile|Rakefile|Podfile|Brewfile|Justfile|justfile|LICENSE|README|CHANGELOG|CODEOWNERS';
const KNOWN_NAME = new RegExp(`^(?:${KNOWN_NAMES})$`);

const LINE_SUFFIX =
  /(?::(\d{1,7})(?::(\d{1,5}))?(?:-\d{1,7})?|#L(\d{1,7})(?:C(\d{1,5}))?(?:-L?\d{1,7}(?:C\d{1,5})?)?)$/;

/** A path with its line, as it stands in a link. Null for all that could be anything but a path. */
export function placeOf(address: string): Place | null {
  const suffix = LINE_SUFFIX.exec(address);
  const path = decoded(suffix === null ? address : address.slice(0, suffix.index));
  if (path === null || !isPlainPath(path)) return null;
  // `name:12` without a folder or an extension has the form of a scheme.
  if (suffix?.[1] !== undefined && !/[./]/.test(path) && !KNOWN_NAME.test(path)) return null;
  const line = numberOf(suffix?.[1] ?? suffix?.[3]);
  const column = numberOf(suffix?.[2] ?? suffix?.[4]);
  return { path, ...(line === null ? {} : { line }), ...(column === null ? {} : { column }) };
}

/** A colon could begin a scheme, two slashes a host; whether the file is there is for the host to say. */
function isPlainPath(path: string): boolean {
  return (
    path !== '' && !/[:?#<>"|*\\]/.test(path) && !/^\s|\s$|^\/\/|^~/.test(path) && !UNSEEN_IN_PATH.test(path)
  );
}

const UNSEEN_IN_PATH = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function decoded(path: string): string | null {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function numberOf(digits: string | undefined): number | null {
  const value = Number(digits ?? 0);
  return value >= 1 ? value : null;
}
