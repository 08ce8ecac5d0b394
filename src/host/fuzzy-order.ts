/** Pure: how well words that were typed fit a path; lower is better, null where they do not. */
export function fitOf(query: string, path: string): number | null {
  const typed = query.toLowerCase();
  const text = path.toLowerCase();
  const name = text.slice(text.lastIndexOf('/') + 1);
  if (typed === '') return path.length;
  if (name === typed) return path.length;
  if (name.startsWith(typed)) return 1_000 + path.length;
  if (name.includes(typed)) return 2_000 + path.length;
  if (text.includes(typed)) return 3_000 + path.length;
  const inName = gapsIn(typed, name);
  if (inName !== null) return 4_000 + inName * 10 + path.length;
  const inPath = gapsIn(typed, text);
  return inPath === null ? null : 6_000 + inPath * 10 + path.length;
}

/** How many letters stand between those that were typed; null where they are not all there, in their order. */
function gapsIn(typed: string, text: string): number | null {
  let at = -1;
  let gaps = 0;
  for (const char of typed) {
    const found = text.indexOf(char, at + 1);
    if (found === -1) return null;
    if (at !== -1) gaps += found - at - 1;
    at = found;
  }
  return gaps;
}

/** Pure: what fits, the best first. */
export function inOrder<T>(query: string, all: readonly T[], pathOf: (one: T) => string): readonly T[] {
  return all
    .flatMap((one) => {
      const fit = fitOf(query, pathOf(one));
      return fit === null ? [] : [{ one, fit }];
    })
    .toSorted((a, b) => a.fit - b.fit)
    .map(({ one }) => one);
}

/** Pure: a glob for names that hold what was typed, whatever the case; `loose` lets other letters between. */
export function nameGlob(query: string, how: { readonly loose: boolean }): string {
  const parts = query.split('/').filter((part) => part !== '');
  const globs = parts.map((part) => {
    const letters = part.split('').map(letterGlob);
    return `*${letters.join(how.loose ? '*' : '')}*`;
  });
  return ['**', ...globs.flatMap((glob, index) => (index === 0 ? [glob] : ['**', glob]))].join('/');
}

function letterGlob(char: string): string {
  const [lower, upper] = [char.toLowerCase(), char.toUpperCase()];
  if (lower !== upper && lower.length === 1 && upper.length === 1) return `[${lower}${upper}]`;
  // A sign of the glob itself stands for any one character.
  return /[*?[\]{}!,\\]/u.test(char) ? '?' : char;
}
