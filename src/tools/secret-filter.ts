/** Keeps secrets of ours out of what a command says: it can read them, for example in /proc/$PPID/environ. */

export const SECRET_REMOVED = '[secret removed]';

/** Anything shorter would be found in ordinary words. */
const MIN_CHARS = 8;
/** Bytes of a match for each byte of the secret, so that what is held back stays bounded. */
const MAX_STRETCH = 32;

/** What `cleanText` removes: a colour inside a secret does not hide it. */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- control characters are what it is there to find
  /(?:\u001b(?:\[[0-?]*[ -/]*[@-~]|[ -/]+[0-~])|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f])*/y;
// oxlint-disable-next-line no-control-regex -- an escape sequence whose end has not arrived yet
const UNFINISHED = /\u001b(?:\[[0-?]*[ -/]*|[ -/]*)$/y;

type Match =
  | { readonly kind: 'none' }
  | { readonly kind: 'whole'; readonly end: number }
  /** The text ends before it can be told. */
  | { readonly kind: 'open' };

const NONE: Match = { kind: 'none' };
const OPEN: Match = { kind: 'open' };

/** Works on bytes as Latin-1 text, one character for each, so that chunks may end inside of characters. */
export class Secrets {
  private readonly needles: readonly string[];
  private readonly beginning: RegExp;

  constructor(secrets: readonly string[]) {
    this.needles = [...new Set(secrets.map((secret) => secret.trim()))]
      .filter((secret) => secret.length >= MIN_CHARS)
      .map((secret) => Buffer.from(secret, 'utf8').toString('latin1'))
      // The longest first: one may begin with another.
      .sort((left, right) => right.length - left.length);
    // Two characters, because one is found all over ordinary output; unseen ones may stand between them.
    const beginnings = this.needles.map(
      (needle) => `${escaped(needle, 0)}(?=${escaped(needle, 1)}|[\\x00-\\x1f\\x7f]|$)`,
    );
    this.beginning = new RegExp(beginnings.join('|') || '(?!)', 'g');
  }

  /** Whether none of them can begin in these bytes: cheap to tell, and most output is such. */
  beginNotIn(bytes: Buffer): boolean {
    return this.needles.every((needle) => !bytes.includes(needle.charCodeAt(0)));
  }

  /** The text without them. */
  scrub(text: string): string {
    if (this.needles.length === 0) return text;
    const { clean } = this.split(Buffer.from(text, 'utf8').toString('latin1'), { last: true });
    return Buffer.from(clean, 'latin1').toString('utf8');
  }

  /** What is clean, and the end that more text could make a secret of: nothing if this was the last. */
  split(
    bytes: string,
    { last }: { readonly last: boolean },
  ): { readonly clean: string; readonly open: string } {
    let clean = '';
    let from = 0;
    this.beginning.lastIndex = 0;
    for (let found = this.beginning.exec(bytes); found !== null; found = this.beginning.exec(bytes)) {
      const match = this.matchAt(bytes, found.index, last);
      if (match.kind === 'none') continue;
      clean += bytes.slice(from, found.index);
      if (match.kind === 'open') return { clean, open: bytes.slice(found.index) };
      clean += SECRET_REMOVED;
      from = match.end;
      this.beginning.lastIndex = from;
    }
    return { clean: clean + bytes.slice(from), open: '' };
  }

  private matchAt(bytes: string, at: number, last: boolean): Match {
    for (const needle of this.needles) {
      const match = needleAt(needle, bytes, at);
      if (match.kind === 'whole' || (match.kind === 'open' && !last)) return match;
    }
    return NONE;
  }
}

function needleAt(needle: string, bytes: string, at: number): Match {
  const limit = at + needle.length * MAX_STRETCH;
  let next = at;
  for (let n = 0; n < needle.length; n += 1) {
    if (n > 0 && bytes.charCodeAt(next) !== needle.charCodeAt(n)) next = afterUnseen(bytes, next);
    if (next > limit) return NONE;
    if (next >= bytes.length) return OPEN;
    if (bytes.charCodeAt(next) !== needle.charCodeAt(n)) {
      return bytes.length <= limit && isUnfinished(bytes, next) ? OPEN : NONE;
    }
    next += 1;
  }
  return { kind: 'whole', end: next };
}

function afterUnseen(bytes: string, at: number): number {
  UNSEEN.lastIndex = at;
  UNSEEN.test(bytes);
  return UNSEEN.lastIndex;
}

function isUnfinished(bytes: string, at: number): boolean {
  UNFINISHED.lastIndex = at;
  return UNFINISHED.test(bytes);
}

function escaped(text: string, at: number): string {
  return `\\x${text.charCodeAt(at).toString(16).padStart(2, '0')}`;
}

/** Passes output on without secrets, also when they come in pieces. */
export class SecretFilter {
  private held = '';
  private state: 'open' | 'ended' = 'open';

  constructor(
    private readonly secrets: Secrets,
    private readonly pass: (chunk: Buffer) => void,
  ) {}

  push(chunk: Buffer): void {
    if (this.state === 'ended') return;
    if (this.held === '' && this.secrets.beginNotIn(chunk)) return this.pass(chunk);
    this.take(this.held + chunk.toString('latin1'), { last: false });
  }

  /** Nothing follows: what was held back is no secret. */
  end(): void {
    if (this.state === 'ended') return;
    this.take(this.held, { last: true });
    this.state = 'ended';
  }

  private take(bytes: string, end: { readonly last: boolean }): void {
    const { clean, open } = this.secrets.split(bytes, end);
    this.held = open;
    if (clean !== '') this.pass(Buffer.from(clean, 'latin1'));
  }
}
