/** The lines of a document. */
export interface Lines {
  readonly count: number;
  at(index: number): string;
}

/**
 * Pure: the index of the line that holds an event, by what the line says. Seqs and lines go together unless
 * something is damaged or blank, so that is where it is looked for first.
 */
export function lineOfSeq(lines: Lines, seq: number): number | null {
  if (seq < lines.count && holds(lines.at(seq), seq)) return seq;
  for (let index = 0; index < lines.count; index += 1) if (holds(lines.at(index), seq)) return index;
  return null;
}

function holds(line: string, seq: number): boolean {
  if (!line.includes(`"seq":${seq}`) && !line.includes(`"seq": ${seq}`)) return false;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'seq' in value && value.seq === seq;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
