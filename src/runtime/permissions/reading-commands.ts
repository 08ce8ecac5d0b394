import type { NamedPath } from './command-part.ts';

/** Commands that change no file, each with the words that make an exception. */
const READERS: Readonly<Record<string, RegExp | null>> = {
  ...Object.fromEntries(
    'md5sum sha1sum sha256sum sha512sum cat head tail more ls stat wc grep rg egrep fgrep diff cmp cut nl od test [ [[ du basename dirname realpath readlink'
      .split(' ')
      .map((name) => [name, null]),
  ),
  less: /^(?:-[^-]*[oO]|--(?:o|O|l|L)|\+)/,
  file: /^(?:-[^-]*C|--c)/,
  sort: /^(?:-[^-]*o|--o)/,
  tree: /^(?:-[^-]*o|--o)/,
  find: /^-(?:delete|fprint0?|fprintf|fls|exec|execdir|ok|okdir)$/,
};

/** They write to a second file, if one is named. */
const ONE_FILE = new Set(['uniq', 'xxd']);

/** Where git works and how it shows things, before its command. */
const GIT_PLACE = /^--(?:no-pager$|git-dir=|work-tree=)/;

/** What is added or committed stays as it is. */
const READING_GIT = new Set(['add', 'commit', 'status', 'log', 'diff', 'show', 'ls-files', 'blame', 'grep']);

const LOOKERS = new Set('ls stat du test [ [[ find tree file basename dirname realpath readlink'.split(' '));

/** What a command with these words after its name does with files. */
export function useOf(base: string, words: readonly string[]): NamedPath['use'] {
  if (!onlyReads(base, words)) return 'write';
  return LOOKERS.has(base) ? 'look' : 'read';
}

/** Whether it changes no file. */
function onlyReads(base: string, words: readonly string[]): boolean {
  if (base === 'git') {
    const command = words.find((word) => !GIT_PLACE.test(word));
    return READING_GIT.has(command ?? '') && !words.some((word) => word.startsWith('--ou'));
  }
  if (ONE_FILE.has(base)) return words.filter((word) => !word.startsWith('-')).length <= 1;
  const exception = Object.hasOwn(READERS, base) ? READERS[base] : undefined;
  if (exception === undefined) return false;
  return exception === null || !words.some((word) => exception.test(word));
}

const EXCLUDERS = new Set('tar rsync grep egrep fgrep diff du'.split(' '));

/** Whether a word only says which files are left out, or, for one who looks, which are meant. */
export function isFilter(base: string, words: readonly string[], at: number, use: NamedPath['use']): boolean {
  const [word = '', before = '', first = '', after = ''] = [
    words[at],
    words[at - 1],
    words[at - 2],
    words[at + 1],
  ];
  // After a lone `--` such a word is a file like others.
  const excludes = EXCLUDERS.has(base) && !words.slice(0, at).includes('--');
  if (excludes && (/^--exclude(?:-dir)?(?:=|$)/.test(word) || /^--exclude(?:-dir)?$/.test(before)))
    return true;
  if (base === 'git') return use === 'read' && GIT_PLACE.test(word);
  const isPattern = base === 'find' && /^-(?:i?name|i?path|i?wholename|i?lname|i?regex)$/.test(before);
  return isPattern && (use === 'look' || after === '-prune' || first === '!' || first === '-not');
}

/** Programs that look for files by the words they get, also by what was in quotes. */
export function looksForFiles(base: string): boolean {
  return base === 'find' || base === 'git';
}
