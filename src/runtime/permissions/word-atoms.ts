import { UNKNOWN } from './possible-names.ts';
import type { Origin, Segment, Word } from './shell-word.ts';

/** A piece of a word as it was read. */
export type Atom =
  | { readonly kind: 'bare'; readonly text: string }
  | { readonly kind: 'quoted'; readonly text: string }
  | { readonly kind: 'expansion'; readonly text: string; readonly splits: boolean };

/** What characters without quotes mean in a word: braces, file globs and `~` are expansions. */
export function wordOf(atoms: readonly Atom[], source: string): Word {
  const bareText = atoms.map((atom) => (atom.kind === 'bare' ? atom.text : '')).join('');
  return {
    segments: segmentsOf(atoms, bareText, source),
    bare: leadingBare(atoms),
    quoted: atoms.some((atom) => atom.kind === 'quoted'),
  };
}

function segmentsOf(atoms: readonly Atom[], bareText: string, source: string): readonly Segment[] {
  const expands = atoms.some((atom) => atom.kind === 'expansion');
  if (isBraced(bareText)) return [{ ...expansion(source, 'shell'), rough: roughly(atoms) }];
  if (isBracketed(bareText))
    return [{ ...expansion(source, expands ? 'shell' : 'files'), rough: roughly(atoms) }];
  return joined(atoms.flatMap((atom, index) => atomSegments(atom, index === 0)));
}

function roughly(atoms: readonly Atom[]): string {
  return atoms.map((atom) => (atom.kind === 'expansion' ? UNKNOWN : atom.text)).join('');
}

/** Whether it may be several words, as `{a,b}` and `{1..3}` are. */
function isBraced(bare: string): boolean {
  return bare.includes('{') && bare.includes('}') && /,|\.\./.test(bare);
}

function isBracketed(bare: string): boolean {
  const open = bare.indexOf('[');
  return open >= 0 && bare.includes(']', open);
}

function leadingBare(atoms: readonly Atom[]): string {
  const end = atoms.findIndex((atom) => atom.kind !== 'bare');
  const leading = atoms.slice(0, end < 0 ? atoms.length : end);
  return leading.map((atom) => atom.text).join('');
}

function atomSegments(atom: Atom, isFirst: boolean): readonly Segment[] {
  if (atom.kind === 'expansion') return [{ ...expansion(atom.text, 'shell'), splits: atom.splits }];
  if (atom.kind === 'quoted') return [quotedLiteral(atom.text)];
  if (!/[*?~]/.test(atom.text)) return [bareLiteral(atom.text)];
  return Array.from(atom.text.matchAll(/[*?]|~[^*?~/:]*|[^*?~]+/g), ({ 0: text, index }) => {
    if (text === '*' || text === '?') return expansion(text, 'files');
    const before = atom.text[index - 1] ?? (isFirst ? '' : '/');
    const isHome = text.startsWith('~') && ['', '=', ':'].includes(before);
    return isHome ? { ...expansion(text, 'home'), splits: false } : bareLiteral(text);
  });
}

function expansion(text: string, origin: Origin): Segment & { readonly kind: 'expansion' } {
  return { kind: 'expansion', text, origin, splits: true };
}

function bareLiteral(text: string): Segment {
  return { kind: 'literal', text, special: false };
}

/** Characters that mean nothing to the shell, quoted or not. */
const HARMLESS = /^[\p{L}\p{N}_@%+=:,./^{}-]*$/u;

function quotedLiteral(text: string): Segment {
  return { kind: 'literal', text, special: !HARMLESS.test(text) };
}

/** Literals beside each other become one, so that `a"b"` and `ab` are the same word. */
function joined(segments: readonly Segment[]): readonly Segment[] {
  if (segments.length === 1 && segments[0]?.text !== '') return segments;
  const all: Segment[] = [];
  for (const segment of segments) {
    const last = all.at(-1);
    if (segment.kind === 'literal' && segment.text === '') continue;
    if (segment.kind === 'literal' && last?.kind === 'literal' && !isValue(last, segment)) {
      all.pop();
      all.push({ kind: 'literal', text: last.text + segment.text, special: last.special || segment.special });
    } else all.push(segment);
  }
  return all;
}

/** The quotes of a value are shown around the value: `x='a b'`. */
function isValue(
  before: Segment & { readonly kind: 'literal' },
  value: Segment & { readonly kind: 'literal' },
): boolean {
  return value.special && !before.special && /^[A-Za-z_]\w*\+?=/.test(before.text);
}
