/** Pure: secrets in running text, by what they look like and by what stands before them. Rather too much than too little. */

export const SECRET = '[secret removed]';

/** Anything shorter would be found in ordinary words. */
const SHORTEST_KNOWN = 8;

/** What is before it in its name stays in any case. Bounded, as all of these are, so that no text makes them slow. */
const NAME = String.raw`(?:(?<![a-z])pass(?:word|wd|phrase|code)?|passw(?:or)?d|pwd|secret|token|credential|api[ _-]?key|(?:access|account|private|shared|signing|encryption)[ _-]?key|signature|auth(?!or)|cookie)[\w.-]{0,32}`;
/** Quotes, also where a text has them escaped once or more. */
const QUOTES = String.raw`[\\"'\x60]{0,6}`;

type Replacement = (found: string, ...groups: readonly string[]) => string;

const whole: Replacement = () => SECRET;
/** Keeps what the first group has: the name of what follows it. */
const named: Replacement = (_found, before = '') => `${before}${SECRET}`;

const PATTERNS: readonly (readonly [RegExp, Replacement])[] = [
  // Up to its end, or to where the text was cut off.
  [
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----|$)/gu,
    whole,
  ],
  [/\b(?:sk|rk|pk)[-_](?:live[-_]|test[-_]|proj[-_]|ant[-_])?[\w*-]{8,}/gu, whole],
  [
    /\b(?:gh[opsur]|github_pat|gl(?:pat|rt|dt|cbt|ptt|ft|soat|imt)|xox[abeoprs]|xapp|npm|hf|hv[bs]|dop_v1|dckr_pat|lin_api|sbp|shp(?:at|ss)|whsec|GOCSPX|ya29|pypi)[-_.][\w.-]{10,}/gu,
    whole,
  ],
  [/\bAGE-SECRET-KEY-1[0-9A-Z]{10,}/gu, whole],
  [/\b\d{8,10}:[\w-]{30,64}\b/gu, whole],
  // Whoever knows such an address may write there.
  [
    /(\bhttps:\/\/(?:hooks\.slack\.com|(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/webhooks)\/)[^\s"'<>]{3,}/giu,
    named,
  ],
  [/\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[0-9A-Z]{12,}\b/gu, whole],
  [/\bAIza[\w-]{30,}/gu, whole],
  [/\bSG\.[\w-]{16,}\.[\w-]{16,}/gu, whole],
  [/\beyJ[\w-]{8,4000}\.[\w-]{4,4000}(?:\.[\w-]*)?/gu, whole],
  // Headers: all of the value, which may have a scheme before it.
  [
    /\b((?:proxy-)?authorization|x-api-key|api-key|set-cookie|cookie)([\\"'\u0060]{0,6}\s{0,4}[:=]\s{0,4}[\\"'\u0060]{0,6})[^\r\n"'\u0060\\]{3,}/giu,
    (_found, name = '', between = '') => `${name}${between}${SECRET}`,
  ],
  [/\b(bearer\s{1,8}|basic\s{1,8})[\w.~+/=-]{8,}/giu, named],
  // Who logs in, in an address.
  [/(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/?#@"'<>]{1,256}@/giu, (_found, scheme = '') => `${scheme}${SECRET}@`],
  [/([?&](?:[\w-]{0,32}(?:token|key|sig|signature|password|secret|code|auth))=)[^\s&#"'<>]{3,}/giu, named],
  // What is given to commands: behind the name of an option, a user or a letter.
  [
    new RegExp(
      String.raw`((?<![\w-])--?[\w-]{0,32}?${NAME}\s{1,4}["']?)(?![-|&<>])[^\s"'\x60|&;<>]{3,}`,
      'giu',
    ),
    named,
  ],
  [/((?<!\S)(?:-u|--user)[\s=]{1,4}["']?[^\s:"']{1,64}:)(?!\d{1,8}(?!\S))[^\s"']{3,}/gu, named],
  [/(\bsshpass\s{1,4}-p\s{0,4}["']?|\bmysql\w{0,16}\b[^\r\n|;&]{0,80}?\s-p["']?)[^\s"']{3,}/gu, named],
  // A list of them, an element, and a pair of a name and a value.
  [
    new RegExp(
      String.raw`(${NAME}${QUOTES}\s{0,4}(?:=>|[:=])\s{0,4}\[)(?!secret removed\])[^\]]{3,4000}`,
      'giu',
    ),
    named,
  ],
  [new RegExp(String.raw`(<[\w:.-]{0,32}?${NAME}(?:\s[^<>]{0,200})?>)[^<>]{3,4000}(?=<)`, 'giu'), named],
  [
    new RegExp(
      String.raw`(\b(?:name|key)${QUOTES}\s{0,4}[:=]\s{0,4}${QUOTES}[\w.-]{0,32}?${NAME}${QUOTES}[,\s]{1,40}${QUOTES}value${QUOTES}\s{0,4}[:=]\s{0,4}${QUOTES})[^\s"'\x60,;{}]{3,}`,
      'giu',
    ),
    named,
  ],
  // Name and value: to the end of the quotes where there are any.
  [
    new RegExp(
      String.raw`(${NAME}${QUOTES}\s{0,4}(?:=>|[:=])\s{0,4}\\{0,4}")(?:[^"\\\r\n]|\\(?!"))[^"\r\n]{0,4000}`,
      'giu',
    ),
    named,
  ],
  [new RegExp(String.raw`(${NAME}${QUOTES}\s{0,4}(?:=>|[:=])\s{0,4}\\{0,4}')[^'\r\n]{1,4000}`, 'giu'), named],
  [
    new RegExp(
      String.raw`(${NAME}\s{0,4}(?:=>|[:=])\s{0,4})(?!\[secret removed\])[^\s"'\x60,;&|<>(){}[\]]{4,}`,
      'giu',
    ),
    named,
  ],
  // Right behind such a name, and no word: it has digits.
  [
    new RegExp(
      String.raw`(${NAME}(?:\s{1,4}(?:is|was)\b)?[\s:]{1,4}["'\x60]?)(?=[^\s"'\x60]{0,64}\d)(?=[^\s"'\x60]{0,64}[a-z])[^\s"'\x60,;|<>(){}[\]]{8,}`,
      'giu',
    ),
    named,
  ],
  // Long and without a word in it, close behind such a name.
  [
    new RegExp(
      String.raw`(${NAME}[^\r\n]{0,24}?(?<![\w+/=-]))(?=[\w+/=-]{0,64}\d)(?=[\w+/=-]{0,64}[a-z])[\w+/=-]{20,400}`,
      'giu',
    ),
    named,
  ],
];

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
  for (const [pattern, replacement] of PATTERNS) {
    clean = clean.replace(pattern, (found: string, ...groups: unknown[]) => {
      const replaced = replacement(found, ...groups.filter((one): one is string => typeof one === 'string'));
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
