/** The one place that says when an answer is empty: white space says nothing. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}
