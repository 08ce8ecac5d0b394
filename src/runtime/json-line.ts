/**
 * JSON on one line, by anybody's idea of a line: two characters that JSON allows in strings, and that some
 * readers take for the end of a line, are escaped.
 */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
