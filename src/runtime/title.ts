const LONGEST = 80;

/** What a session is called: the first line of its first prompt. */
export function titleOf(prompt: string): string {
  const line = prompt.trim().split(/\s*[\r\n]/u, 1)[0] ?? '';
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1).toWellFormed()}…`;
}
