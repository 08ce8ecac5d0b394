import { placeOf } from './link-target.ts';

/** What a block of code says of itself. */
export interface CodeInfo {
  readonly language: string;
  /** The file that the code is for; null when the block names none. */
  readonly path: string | null;
}

const TITLE = /\b(?:title|file|filename|path)=(?:"([^"]*)"|'([^']*)'|(\S+))/i;

/** Pure: ```` ```ts src/a.ts ````, ```` ```ts:src/a.ts ````, ```` ```ts title="src/a.ts" ````, or a comment in the first line. */
export function codeInfo(info: string, firstLine: string): CodeInfo {
  const [word = '', ...others] = info.trim().split(/\s+/);
  const [name = '', ...tail] = word.split(/[:{,]/);
  const title = TITLE.exec(info);
  const named = title?.[1] ?? title?.[2] ?? title?.[3] ?? pathIn(tail.join(':')) ?? others.find(isPath);
  const isFile = isPath(name) && !others.some(isPath);
  const language = isFile ? (name.split('.').at(-1) ?? '') : name;
  const path = named ?? (isFile ? name : undefined) ?? commentedPath(firstLine);
  return { language: language.toLowerCase(), path: path === undefined ? null : plainPath(path) };
}

function pathIn(words: string): string | undefined {
  return isPath(words) ? words : undefined;
}

/** A file has an extension or a folder; a language has neither. */
function isPath(words: string): boolean {
  return /^[^\s{}="'`]*[^\s{}="'`/]$/.test(words) && /[/.]/.test(words) && /[\p{L}\p{N}]/u.test(words);
}

const COMMENT =
  /^\s*(?:\/\/|#|--|;|\/\*+|<!--|%)\s*(?:(?:file|path|filename)\s*:\s*)?(\S+?)\s*(?:\*\/|-->)?\s*$/i;

function commentedPath(line: string): string | undefined {
  if (line.length > 300) return undefined;
  const words = COMMENT.exec(line)?.[1];
  return words !== undefined && /\.[A-Za-z][A-Za-z0-9]{0,9}$/.test(words) ? pathIn(words) : undefined;
}

function plainPath(words: string): string | null {
  return placeOf(words)?.path ?? null;
}
