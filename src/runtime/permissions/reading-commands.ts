/** Commands that change no file, each with the words that make an exception. */
const READERS: Readonly<Record<string, RegExp | null>> = {
  ...Object.fromEntries(
    'cat head tail more ls stat wc grep rg egrep fgrep diff cmp cut nl od test [ [[ du basename dirname realpath readlink'
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

const READING_GIT = new Set(['status', 'log', 'diff', 'show', 'ls-files', 'blame', 'grep']);

/** Whether a command with these words after its name changes no file. */
export function onlyReads(base: string, words: readonly string[]): boolean {
  if (base === 'git') {
    const command = words.find((word) => !GIT_PLACE.test(word));
    return READING_GIT.has(command ?? '') && !words.some((word) => word.startsWith('--ou'));
  }
  if (ONE_FILE.has(base)) return words.filter((word) => !word.startsWith('-')).length <= 1;
  const exception = Object.hasOwn(READERS, base) ? READERS[base] : undefined;
  if (exception === undefined) return false;
  return exception === null || !words.some((word) => exception.test(word));
}

/** Whether the word after this one is compared with names of files, and is none itself. */
export function isPattern(base: string, before: string | undefined): boolean {
  return base === 'find' && /^-(?:i?name|i?path|i?wholename|i?lname|i?regex)$/.test(before ?? '');
}
