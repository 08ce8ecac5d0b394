import { firstCharacters } from './first-characters.ts';

/** About as many characters as a line of a narrow view has. */
const LINE_CHARS = 60;
const LINES_SHOWN = 12;
/** Folding what is hardly longer would hide little and ask for a click. */
const LINES_UNFOLDED = 16;

/** Pure: the beginning of a long prompt; null for one that is shown whole. */
export function promptBeginning(text: string): string | null {
  const lines = text.split('\n');
  if (lines.reduce((sum, line) => sum + rows(line), 0) <= LINES_UNFOLDED) return null;
  const shown: string[] = [];
  let left = LINES_SHOWN;
  for (const line of lines) {
    if (left <= 0) break;
    shown.push(firstCharacters(line, left * LINE_CHARS));
    left -= rows(line);
  }
  return shown.join('\n').trimEnd();
}

function rows(line: string): number {
  return Math.max(1, Math.ceil(line.length / LINE_CHARS));
}
