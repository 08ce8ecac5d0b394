/** Pure: secrets in running text, by what they look like and by what stands before them. Rather too much than too little. */

import { SECRET, SECRET_FORMS } from './secret-forms.ts';

/** Anything shorter would be found in ordinary words. */
const SHORTEST_KNOWN = 8;

/** The text without secrets, and how many there were. */
export function withoutSecrets(
  text: string,
  known: readonly string[],
): { readonly text: string; readonly count: number } {
  let count = 0;
  let clean = text;
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

/** Whether what stands under a name is a secret, whatever it is. */
export function isSecretName(name: string): boolean {
  const before = `${name}: "`;
  return withoutSecrets(`${before}0a0a0a0a"`, []).text.startsWith(before + SECRET);
}

/** As it is, as in an address and as in JSON: a text may quote any of them. */
function spellings(secret: string): readonly string[] {
  return [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])];
}
