import type { PreviewedFile, UndoPreview } from '../app/undo-preview.ts';
import { translatedSentence, type Translate } from '../presenter/host-sentences.ts';
import { foreign } from './shown-text.ts';

/** Pure: what an undo, or taking one back, would do and would not, in words. */

/** Of a file in a list; empty where its diff says it all. */
export function fileWords({ now, next, is_binary }: PreviewedFile, t: Translate): string {
  if (is_binary && now !== null && next !== null)
    return t('not text: {0} bytes now, {1} bytes then', `${now.length}`, `${next.length}`);
  if (is_binary && now !== null) return t('not text: {0} bytes, is removed', `${now.length}`);
  if (is_binary && next !== null) return t('not text: {0} bytes, is there again', `${next.length}`);
  if (next === null) return t('is removed');
  return now === null ? t('is there again') : '';
}

/** The whole of it, for a document beside the diffs. */
export function aboutUndo(preview: UndoPreview, t: Translate): string {
  const { way, path, files, refusals, commands, children, inherited } = preview;
  const isUndo = way === 'undo';
  const told = files.map((file) => {
    const words = fileWords(file, t);
    return words === '' ? line(file.path) : `${line(file.path)}: ${words}`;
  });
  const notes = files.flatMap(({ note }) => (note === null ? [] : [note]));
  const left = [...notes, ...refusals.map(({ message }) => message)];
  const stays =
    children === 0
      ? []
      : [
          t('Files that subagents of this turn changed'),
          t('Each has a log of its own: undo them in their transcripts.'),
        ];
  const parts = [
    [
      isUndo ? t('What undo would do. Nothing has been changed yet.') : '',
      isUndo ? '' : t('What redo would do. Nothing has been changed yet.'),
      t('As it was when this was opened.'),
      t('What is different by now is shown first.'),
      path === undefined ? '' : t('Only of {0}, of no other file.', line(path)),
    ],
    section(isUndo ? t('Files that are put back') : t('Files whose undo is taken back'), told),
    section(
      t('Files that are left as they are'),
      left.map((message) => line(translatedSentence(message, t))),
    ),
    section(
      t('Cannot be undone: what these commands did stays'),
      commands.map(({ command }) => foreign(command, LONGEST_COMMAND)),
    ),
    section(stays[0] ?? '', stays.slice(1)),
    [inherited ? t('What this turn changed before the fork is undone in the session that was forked.') : ''],
  ];
  return parts
    .map((lines) => lines.filter((line) => line !== ''))
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

const LONGEST_COMMAND = 300;
const LONGEST_LINE = 1000;

/** Paths are words of a log, which may be somebody else's: none of them begins a line of its own. */
function line(words: string): string {
  return foreign(words, LONGEST_LINE);
}

function section(head: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [head, ...lines.map((line) => `    ${line}`)];
}
