/**
 * Pure: what secrets look like, and what stands before them. No text makes any of these slow: repetitions have an end, but for one
 * that is the last of its pattern, after which nothing can fail.
 */

export const SECRET = '[secret removed]';

export type Replacement = (found: string, groups: readonly string[]) => string;

export interface SecretForm {
  readonly pattern: RegExp;
  readonly replace: Replacement;
}

const whole: Replacement = () => SECRET;
/** Keeps what the first group has: the name of what follows it. */
const named: Replacement = (_found, [before = '']) => `${before}${SECRET}`;
/** The same, where the value may be one that says nothing. */
const judged: Replacement = (found, [before = '']) =>
  isHarmless(before, found.slice(before.length)) ? found : `${before}${SECRET}`;

/** What is before it in its name stays in any case. */
const NAME = String.raw`(?:(?<!by|com|tres)pass(?!ed|es\b|ing|age|enger|ion|ive|port|[ _-]?thr)(?:word|wd|phrase|code)?|passw(?:or)?d|passwort|kennwort|pwd|secret|token|credential|api[ ._-]?key|(?:access|account|private|shared|signing|encryption|master|service[_-]?role|deploy|ssh|licen[cs]e|subscription|client|consumer)[ _-]?key|signature|auth(?!or|entic)|cookie|j?sessionid|(?:php)?sessid|connect\.sid)[\w.-]{0,32}(?!\w)`;
/** Quotes, also where a text has them escaped, and signs that nobody sees. */
const QUOTE = String.raw`(?:[\\"'\x60\u00ad\u200b-\u200d\ufeff]|%2[27]|%5C|&quot;|&#3[49];|\\u002[27])`;
const QUOTES = `${QUOTE}{0,6}`;
const ROOM = String.raw`(?:\s|%20|\\[nt]){0,12}`;
/** Given to a name: also with a type between them. */
const GIVEN = String.raw`${QUOTES}${ROOM}(?:[?!]?:\s{0,4}[\w.<>|[\] ]{1,40}=|=>|:=|[=!]?==?|[:=]|%3[AD])${ROOM}`;
const GAP = String.raw`(?:\s|\\[nt]){1,20}`;

function form(source: string, replace: Replacement, flags = 'giu'): SecretForm {
  return { pattern: new RegExp(source, flags), replace };
}

/** Where a word begins, also behind a sign that is escaped, encoded, or a colour of a terminal. */
const START = String.raw`(?:(?<![\w-])|(?<=%[\dA-Fa-f]{2}|\\[nrt]|\[[\d;]{0,12}m))`;

/** Whoever made them gave them a beginning of their own. */
const BY_BEGINNING: readonly SecretForm[] = [
  // Up to its end, or to where the text was cut off.
  form(
    String.raw`-{4,5} ?BEGIN(?: |%20|\+)[A-Z0-9 %+]{0,40}PRIVATE(?: |%20|\+)KEY[A-Z %+]{0,10} ?-{4,5}[\s\S]*?(?:-{4,5} ?END(?: |%20|\+)[A-Z0-9 %+]{0,40}PRIVATE(?: |%20|\+)KEY[A-Z %+]{0,10} ?-{4,5}|$)`,
    whole,
    'gu',
  ),
  form(String.raw`(Private-Lines: \d{1,4}\s{1,4})[\s\S]*?(?=\n[\w-]{1,20}:|$)`, named, 'gu'),
  form(String.raw`${START}MII[A-Za-z0-9+/]{60,}`, whole, 'gu'),
  form(String.raw`${START}(?:sk|rk|pk)[-_](?=[\w-]{0,200}[\d*])[\w*-]{8,}`, whole, 'gu'),
  form(
    String.raw`${START}(?:gh[opsur]|github_pat|do[opr]_v1|dckr_[op]at|lin_(?:api|oauth)|sb[ps]|shp(?:at|ca|pa|ss)|whsec|figd|glsa|rubygems|sntr[uy]s|CCIPAT|pscale_[a-z]{2,5})_[\w.-]{10,}`,
    whole,
    'gu',
  ),
  form(
    String.raw`${START}(?:gl(?:agent|cbt|dt|ft|imt|pat|ptt|rt|soat)|xox[abceoprs]|xapp|GOCSPX|sq0[a-z]{3}|tskey|NRAK|FLWSECK(?:_TEST)?|nvapi|pplx|tvly)-[\w.-]{10,}`,
    whole,
    'gu',
  ),
  // Such a beginning is also that of ordinary names: there is a digit.
  form(
    String.raw`${START}(?:(?:npm|hf|glc|ntn|r8|gsk|ph[cx]|secret)_|(?:xai|pypi)-)(?=\w{0,60}\d)[\w-]{14,}`,
    whole,
    'gu',
  ),
  form(
    String.raw`${START}(?:hv[brs]|ya29|atlasv1|dp\.(?:ct|pt|sa|st)|v[1-4]\.(?:local|public))\.[\w.-]{10,}`,
    whole,
    'gu',
  ),
  form(String.raw`${START}AGE-SECRET-KEY-1[0-9A-Z]{10,}`, whole, 'gu'),
  form(
    String.raw`${START}(?:A(?:BIA|CCA|GPA|IDA|IPA|KIA|NPA|NVA|ROA|SIA)[0-9A-Z]{4}|LTAI[0-9A-Za-z]{4})[0-9A-Za-z]{8,}`,
    whole,
    'gu',
  ),
  form(String.raw`${START}AIza[\w-]{30,}`, whole, 'gu'),
  form(String.raw`${START}1//0[\w-]{20,}`, whole, 'gu'),
  form(String.raw`${START}SG\.[\w-]{16,80}\.[\w-]{16,}`, whole, 'gu'),
  form(String.raw`${START}(?:ATATT3|EAAC)[\w=-]{16,}`, whole, 'gu'),
  form(String.raw`${START}(?:dapi|key-|SK|AC)[0-9a-f]{32}(?![0-9a-z])`, whole, 'gu'),
  form(String.raw`${START}\d{8,10}:[\w-]{30,64}(?![\w-])`, whole, 'gu'),
  form(String.raw`${START}eyJ[\w-]{8,8000}\.[\w-]{0,8000}(?:\.[\w-]{1,8000}){0,3}`, whole, 'gu'),
];

/** Headers, addresses and what is given to commands. */
const BY_PLACE: readonly SecretForm[] = [
  // Whoever knows such an address may write there.
  form(
    String.raw`(https://(?:hooks\.slack\.com|(?:\w{1,20}\.)?discord(?:app)?\.com/api/webhooks|[\w-]{1,40}\.webhook\.office\.com)/)[^\s"'<>]{3,}`,
    named,
  ),
  form(String.raw`(digest\s{1,4})(?=username)[^\r\n]{3,}`, named),
  // All of the value, which may have a scheme before it.
  form(
    String.raw`((?:(?:proxy-)?authorization|x-api-key|api-key|set-cookie|cookie)${QUOTES}${ROOM}(?:[:=]|%3[AD])${ROOM}${QUOTES})[^\r\n"'\x60\\]{3,}`,
    judged,
  ),
  form(
    String.raw`((?:bearer|basic)(?:\s{1,8}|%20|\+))(?!(?:access|auth\w{0,16}|tokens?|realm)\b)(?=[\w.~+/=%-]{0,64}[\d=])[\w.~+/=%-]{8,}`,
    named,
  ),
  form(String.raw`(bearer\s{1,8})(?!(?:access|auth\w{0,16}|tokens?|realm)\b)[\w.~+/=-]{24,}`, named),
  // Who logs in, in an address: to the last sign that could end it.
  form(
    String.raw`((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://)(?:[^\s/?#@:"'<>]{0,128}:(?!\d{1,5}/)[^\s"'<>]{1,256}|[^\s/?#@"'<>]{1,256})@`,
    (_found, [scheme = '']) => `${scheme}${SECRET}@`,
  ),
  form(String.raw`(%3A%2F%2F[\w.~-]{0,64}%3A)[\w.~%+-]{1,256}(?=%40)`, named),
  form(String.raw`(jdbc:oracle:\w{1,10}:[^\s/@"']{1,64}/)[^\s@"']{1,128}(?=@)`, named),
  form(
    String.raw`([?&][\w-]{0,32}(?:token|key|sig|signature|password|secret|code|auth|state|verifier)=)[^\s&#"'<>]{3,}`,
    judged,
  ),
  form(String.raw`(login${GAP}[^\s"'\\]{1,128}${GAP}password${GAP})[^\s"'\\]{3,}`, named),
  form(String.raw`((?<![\w-])--?[\w-]{0,32}?${NAME}\s{1,4}["']?)(?![-|&<>])[^\s"'\x60|&;<>]{3,}`, judged),
  form(
    String.raw`((?<!\S)(?:-u|--user)[\s=]{0,4}["']?[^\s:"'=]{1,64}:)(?!\d{1,8}(?!\S))[^\s"']{3,}`,
    named,
    'gu',
  ),
  form(
    String.raw`(\bsshpass\s{1,4}-p\s{0,4}["']?|\bmysql\w{0,16}\b[^\r\n|;&]{0,80}?\s-p["']?|\b(?:docker|podman|nerdctl|skopeo|helm|az|oc)\b[^\r\n|;&]{0,80}?\slogin\b[^\r\n|;&]{0,120}?\s-p[\s=]{1,4}["']?|\bredis-cli\b[^\r\n|;&]{0,120}?\s-a\s{1,4}["']?)[^\s"']{3,}`,
    named,
    'gu',
  ),
  form(
    String.raw`(echo\s{1,4}(?:-n\s{1,4})?["']?)[^\s"'|$]{3,200}(?=["']?\s{0,4}\|[^\r\n]{0,120}(?:--password-stdin|--with-token|sudo -S))`,
    named,
  ),
];

/** Right of a name that says it. */
const BY_NAME: readonly SecretForm[] = [
  // A list of them, an element, a pair of a name and a value, and what a call is given.
  form(String.raw`(${NAME}${QUOTES}\s{0,4}(?:=>|[:=])\s{0,4}\[)(?!secret removed\])[^\]]{3,4000}`, judged),
  form(String.raw`(<[\w:.-]{0,32}?${NAME}(?:\s[^<>]{0,200})?>)[^<>]{3,4000}(?=<)`, named),
  form(
    String.raw`((?:name|key)${QUOTES}\s{0,4}[:=]\s{0,4}${QUOTES}[\w.-]{0,32}?${NAME}${QUOTES}[,\s]{1,40}${QUOTES}value${QUOTES}\s{0,4}[:=]\s{0,4}${QUOTES})[^\s"'\x60,;{}]{3,}`,
    judged,
  ),
  form(
    String.raw`(value${QUOTES}\s{0,4}[:=]\s{0,4}${QUOTES})[^\s"'\x60,;{}\\]{3,400}(?=${QUOTES}[,\s]{1,40}${QUOTES}(?:name|key)${QUOTES}\s{0,4}[:=]\s{0,4}${QUOTES}[\w.-]{0,32}?${NAME})`,
    named,
  ),
  form(String.raw`(${NAME}["'\x60]\s{0,4},\s{0,4}["'\x60])(?=[^"'\x60\r\n]{0,64}\d)[^"'\x60\r\n]{4,}`, named),
  // To the end of the quotes where there are any.
  form(String.raw`(${NAME}${GIVEN}\\{0,4}")(?:[^"\\\r\n]|\\(?!"))[^"\r\n]{0,4000}`, judged),
  form(String.raw`(${NAME}${GIVEN}\\{0,4}['\x60])[^'\x60\r\n]{1,4000}`, judged),
  form(String.raw`(${NAME}${QUOTES}\s{0,4}:\s{0,4}[|>][+-]?\d?(?:\r?\n|\\n)[ \t]{1,40})[^\r\n\\]{3,}`, named),
  form(
    String.raw`(${NAME}${GIVEN}${QUOTES})(?!\[secret removed\]|[\w.]{1,80}\()[^\s"'\x60,;&|<>(){}[\]\\]{4,}`,
    judged,
  ),
  form(
    String.raw`(\b(?:[A-Z][A-Z0-9_]{0,60}_)?KEY\s?=\s?["']?)(?=[^\s"']{0,64}\d)(?=[^\s"']{0,64}[a-z])[\w+/=.:-]{12,}`,
    named,
    'gu',
  ),
  // Right behind such a name, and no word: it has digits.
  form(
    String.raw`(${NAME}(?:\s{1,4}(?:is|was)\b)?[\s:|→]{1,8}["'\x60]?)(?=[^\s"'\x60]{0,64}\d)(?=[^\s"'\x60]{0,64}[a-z])[^\s"'\x60,;|<>(){}[\]]{8,}`,
    named,
  ),
  // Long and without a word in it, close behind such a name.
  form(
    String.raw`(${NAME}[^\r\n]{0,24}?(?<![\w+/=-]))(?=[\w+/=-]{0,64}\d)(?=[\w+/=-]{0,64}[a-z])[\w+/=-]{20,400}`,
    named,
  ),
];

export const SECRET_FORMS: readonly SecretForm[] = [...BY_BEGINNING, ...BY_PLACE, ...BY_NAME];

/** Types, and words for nothing. */
const SAYS_NOTHING =
  /^(?:true|false|null|nil|none|undefined|unknown|any|string|number|boolean|bool|str|int|object|void|never|required|optional|enabled|disabled|missing|invalid|expired|(?:process\.env|import\.meta\.env|os\.environ|secrets)[.[]?[\w.]{0,80}|\$\{?[A-Z][A-Z0-9_]*\}?|%[A-Z_]+%)[.!?]?$/iu;
const COUNT = /^\d{1,9}(?:[.,]\d{1,3})?[.%]?$/u;

/** How many tokens there were, and where a shell is, are no secrets. */
function isHarmless(before: string, value: string): boolean {
  if (SAYS_NOTHING.test(value)) return true;
  if (/tokens/iu.test(before) && COUNT.test(value)) return true;
  return /pwd\W{0,4}$/iu.test(before) && /^(?:[~/.]|[a-z]:[\\/])/iu.test(value);
}
