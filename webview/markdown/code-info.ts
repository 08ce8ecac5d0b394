import { placeOf } from '../../src/presenter/markdown/link-target.ts';

/** What a block of code says of itself. */
export interface CodeInfo {
  readonly language: string;
  /** The file that the code is for; null when the block names none. */
  readonly path: string | null;
  /** Perhaps the name of that file, from a comment that may name something else; null when there is none. */
  readonly guess: string | null;
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
  const path = named ?? (isFile ? name : undefined);
  const about = { language: language.toLowerCase(), path: null, guess: null };
  if (path !== undefined) return { ...about, path: plainPath(path) };
  const commented = commentedPath(firstLine);
  if (commented === undefined) return about;
  return /[/\\]/.test(commented)
    ? { ...about, path: plainPath(commented) }
    : { ...about, guess: isSource(commented) ? plainPath(commented) : null };
}

const EXTENSIONS: ReadonlySet<string> = new Set(
  'astro bash bat c cc cfg clj cmake conf cpp cs css csv cts cxx dart ex exs fs go gradle graphql h hpp hs htm html ini java jl js json jsonc jsx kt kts less lua m md mdx mjs cjs ml mm mts nix php pl proto ps1 py pyi r rb rs sass scala scss sh sol sql svelte swift tf toml ts tsx txt vue xml yaml yml zig zsh'.split(
    ' ',
  ),
);

/** `example.com` has the form of a file, too. */
function isSource(name: string): boolean {
  return EXTENSIONS.has(name.split('.').at(-1)?.toLowerCase() ?? '');
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
