/** The ways in which servers write the same events. */
export interface SseStyle {
  readonly newline?: '\n' | '\r\n' | '\r';
  /** `data:{...}` instead of `data: {...}`. */
  readonly noSpace?: boolean;
  /** Leaves out the `event:` lines. */
  readonly noNames?: boolean;
  /** Spreads each JSON text over several `data` lines. */
  readonly multiline?: boolean;
  /** A comment before each event. */
  readonly comments?: boolean;
  /** No blank line after the last event. */
  readonly unterminated?: boolean;
}

export function encodeEvents(list: readonly unknown[], style: SseStyle = {}): string {
  const newline = style.newline ?? '\n';
  const text = list.map((event) => encodeEvent(event, style)).join('');
  return style.unterminated === true ? text.slice(0, -2 * newline.length) : text;
}

function encodeEvent(event: unknown, style: SseStyle): string {
  const newline = style.newline ?? '\n';
  const space = style.noSpace === true ? '' : ' ';
  const json = JSON.stringify(event, null, style.multiline === true ? 1 : 0);
  const type = typeof event === 'object' && event !== null && 'type' in event ? String(event.type) : null;
  const lines = [
    ...(style.comments === true ? [': keep-alive'] : []),
    ...(style.noNames === true || type === null ? [] : [`event:${space}${type}`]),
    ...json.split('\n').map((line) => `data:${space}${line}`),
  ];
  return lines.map((line) => line + newline).join('') + newline;
}

/** The same bytes in pieces of one size, whatever characters that splits. */
export function inPieces(text: string, size: number): readonly Uint8Array[] {
  const all = new TextEncoder().encode(text);
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < all.length; from += size) pieces.push(all.subarray(from, from + size));
  return pieces;
}
