/** Short quotations of what tools gave, so that an answer shows evidence and stays bounded. */

const MAX_LINES = 12;
const MAX_CHARS = 800;

export function quoted(text: string, options: { readonly from: 'head' | 'tail' } = { from: 'head' }): string {
  const lines = text.replace(/\s+$/u, '').split(/\r?\n/u);
  const kept = options.from === 'head' ? lines.slice(0, MAX_LINES) : lines.slice(-MAX_LINES);
  const joined = kept.join('\n');
  const short = options.from === 'head' ? joined.slice(0, MAX_CHARS) : joined.slice(-MAX_CHARS);
  const isCut = kept.length < lines.length || short.length < joined.length;
  const fence = '`'.repeat(Math.max(3, longestRun(short) + 1));
  const body = short === '' ? '(empty)' : short;
  const note = isCut
    ? `\n(${options.from === 'head' ? 'the beginning' : 'the end'} of ${lines.length} lines)`
    : '';
  return `${fence}\n${body}\n${fence}${note}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/gu) ?? []).map((run) => run.length));
}

/** One line of text, cut to a length, for use inside a sentence. */
export function inline(text: string): string {
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}
