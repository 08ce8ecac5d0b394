/** Pure: secrets in running text, by what they look like and by what stands before them. Rather too much than too little. */

import { SECRET, SECRET_FORMS } from './secret-forms.ts';

/** Anything shorter would be found in ordinary words. */
const SHORTEST_KNOWN = 8;

/** The text without secrets, and how many there were. */
export function withoutSecrets(
  text: string,
  known: readonly string[],
): { readonly text: string; readonly count: number } {
  let { text: clean, count } = withoutKeyEnds(text);
  for (const spelled of known.filter((one) => one.length >= SHORTEST_KNOWN).flatMap(spellings)) {
    const parts = clean.split(spelled);
    count += parts.length - 1;
    clean = parts.join(SECRET);
  }
  for (const { pattern, replace } of SECRET_FORMS) {
    clean = clean.replace(pattern, (found: string, ...groups: unknown[]) => {
      const replaced = replace(
        found,
        groups.filter((one): one is string => typeof one === 'string'),
      );
      if (replaced !== found) count += 1;
      return replaced;
    });
  }
  return { text: clean, count };
}

const KEY_END = /-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10} ?-{4,5}/gu;
/** What a key is written with, also where its line ends are escaped. */
const OF_KEY = /[A-Za-z0-9+/=\\\s]/u;

/** The end of a key whose beginning was cut off: all before its last line that could be of it. */
function withoutKeyEnds(text: string): { text: string; count: number } {
  let clean = '';
  let count = 0;
  let rest = 0;
  for (const { index } of text.matchAll(KEY_END)) {
    let from = index;
    while (from > rest && OF_KEY.test(text.charAt(from - 1))) from -= 1;
    const isWhole = text.slice(Math.max(rest, from - 5), from) === '-----';
    if (!isWhole && from < index) {
      clean += `${text.slice(rest, from)}${SECRET}`;
      count += 1;
    } else clean += text.slice(rest, index);
    rest = index;
  }
  return { text: clean + text.slice(rest), count };
}

/** Whether what stands under a name is a secret, whatever it is. */
export function isSecretName(name: string): boolean {
  const before = `${name}: "`;
  return withoutSecrets(`${before}0a0a0a0a"`, []).text.startsWith(before + SECRET);
}

/** As it is, as in an address and as in JSON: a text may quote any of them. */
function spellings(secret: string): readonly string[] {
  return [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])];
}
