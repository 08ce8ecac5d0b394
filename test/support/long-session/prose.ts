/** Words and files that look like those of a project, and are the same every time. */

const WORDS =
  'the parser keeps a line until its end has come and hands it on whole so that a reader never sees half of one ' +
  'while the writer checks what it was given before anything is stored and says why when it refuses because a value ' +
  'that is wrong here would be found much later by somebody who cannot know where it came from';

const LIST = WORDS.split(' ');

/** So many words; another seed begins elsewhere and goes on otherwise. */
export function prose(seed: number, count: number): string {
  const words: string[] = [];
  for (let n = 0, at = seed * 31; n < count; n += 1, at += 1 + ((seed + n) % 7)) {
    words.push(LIST[at % LIST.length] ?? '');
  }
  const text = words.join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

export const PARTS = 12;

export function partPath(part: number): string {
  return `src/part-${part}.ts`;
}

/** The line of a part that gets edited. */
export function revisionLine(part: number, revision: number): string {
  return `export const revision = 'part ${part}, revision ${revision}';`;
}

export function partText(part: number): string {
  const functions = Array.from({ length: 8 }, (_, index) => {
    const name = `step${part}${String.fromCharCode(65 + index)}`;
    return [
      `/** ${prose(part * 8 + index, 14)} */`,
      `export function ${name}(values: readonly number[]): number {`,
      `  const usable = values.filter((value) => value > ${part + index});`,
      `  return usable.reduce((sum, value) => sum + value, ${index});`,
      '}',
      '',
    ].join('\n');
  });
  return [revisionLine(part, 0), '', ...functions].join('\n');
}

/** Stands for thoughts that nobody but the provider can read: as long as real ones are, and no two alike. */
export function opaque(turn: number, round: number): string {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  let text = `thought-${turn}-${round}-`;
  for (let n = 0, at = turn * 7 + round * 3; n < 160; n += 1, at += 1 + ((turn + n * n) % 11)) {
    text += letters[at % letters.length] ?? '';
  }
  return text;
}
