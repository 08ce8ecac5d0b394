/**
 * Characters without a shape of their own: controls, changes of the writing direction, joiners, fillers. In a
 * command or a path they could hide or reorder what a person is about to approve.
 */
const SHAPELESS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/gu;

/** Shows such characters by their number. New lines and tabs stay: they are seen. */
export function visibleText(text: string): string {
  return text.replaceAll(SHAPELESS, (one) => (one === '\n' || one === '\t' ? one : escaped(one)));
}

/** What changes the direction of writing: in code it can show other code than there is. */
const DIRECTIONS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

export function visibleDirections(text: string): string {
  return text.replaceAll(DIRECTIONS, escaped);
}

function escaped(one: string): string {
  const code = one.codePointAt(0) ?? 0;
  return code > 0xff_ff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
