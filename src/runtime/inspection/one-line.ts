const LONGEST = 120;

/** The first line of a text, short enough for a label. */
export function oneLine(text: string, longest: number = LONGEST): string {
  const line = text.trim().split(/\r?\n/, 1)[0] ?? '';
  return line.length <= longest ? line : `${line.slice(0, longest - 1)}…`;
}
