import { literalText, plainWord, type Segment, type Word } from './shell-word.ts';

export interface NameReadings {
  /** The name without folders, in small letters; null when it is only known when the command runs. */
  readonly base: string | null;
  /** The word as written and whatever else a rule may call the same program. */
  readonly words: readonly Word[];
  /** Whether it is the program of that name that every system has, and no other of the same name. */
  readonly isStandard: boolean;
}

export function readName(word: Word): NameReadings {
  const text = literalText(word);
  const name = text === null ? lastName(word) : text.slice(text.lastIndexOf('/') + 1);
  if (name === null) return { base: null, words: [word], isStandard: false };
  const base = name.toLowerCase();
  const others = [name, base].filter((one, index, all) => one !== text && all.indexOf(one) === index);
  const isStandard = text === base || text === `/bin/${base}` || text === `/usr/bin/${base}`;
  return { base, words: [text === null ? inFolders(word) : word, ...others.map(plainWord)], isStandard };
}

/** The name where only the folders are unknown, as in `~/bin/tool`. */
function lastName({ segments }: Word): string | null {
  const last = segments.at(-1);
  const isOneWord = segments.every((segment) => segment.kind === 'literal' || !segment.splits);
  if (!isOneWord || last?.kind !== 'literal') return null;
  const slash = last.text.lastIndexOf('/');
  return slash < 0 || slash === last.text.length - 1 ? null : last.text.slice(slash + 1);
}

function inFolders(word: Word): Word {
  const segments = word.segments.map((segment): Segment =>
    segment.kind === 'literal' ? segment : { ...segment, origin: 'folders' },
  );
  return { ...word, segments };
}
