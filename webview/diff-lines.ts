import { t, translated } from './l10n.ts';
import { visibleText } from './visible-text.ts';

export interface DiffLine {
  readonly kind: 'place' | 'same' | 'removed' | 'added' | 'note';
  readonly text: string;
}

const PLACE = /^@@ line (\d+) @@$/;

/** The lines of an excerpt. What is neither a place nor marked as a line of the file is a note of the host. */
export function diffLines(diff: string): readonly DiffLine[] {
  if (diff === '') return [];
  return diff.replace(/\n$/, '').split('\n').map(diffLine);
}

function diffLine(line: string): DiffLine {
  const place = PLACE.exec(line)?.[1];
  if (place !== undefined) return { kind: 'place', text: t('Line {0}', place) };
  const text = visibleText(line.slice(1).replace(/\r$/, ''));
  switch (line.slice(0, 1)) {
    case '+':
      return { kind: 'added', text };
    case '-':
      return { kind: 'removed', text };
    case ' ':
    case '':
      return { kind: 'same', text };
    default:
      return { kind: 'note', text: translated(visibleText(line)) };
  }
}
