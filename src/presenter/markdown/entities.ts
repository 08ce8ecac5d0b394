/** The names of characters that models really use; others stay as they are written. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  deg: '°',
  plusmn: '±',
  times: '×',
  divide: '÷',
  le: '≤',
  ge: '≥',
  ne: '≠',
  larr: '←',
  uarr: '↑',
  rarr: '→',
  darr: '↓',
  harr: '↔',
  check: '✓',
  euro: '€',
  pound: '£',
  sect: '§',
  para: '¶',
  micro: 'µ',
};

const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g;

/** Pure: character references as the characters they stand for. The result is text and is shown as text. */
export function withoutEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(ENTITY, (all, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? all) : all;
    return character(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal));
  });
}

function character(code: number): string {
  const isSurrogate = code >= 0xd8_00 && code <= 0xdf_ff;
  return code === 0 || code > 0x10_ff_ff || isSurrogate ? '\uFFFD' : String.fromCodePoint(code);
}
