import type { Hasher } from '../ports.ts';
import { isAnyChosen, Tally, type Pseudonym, type RedactionChoices, type Surroundings } from './choices.ts';
import { Places } from './places.ts';
import { SECRET } from './secret-forms.ts';
import { isSecretName, withoutSecrets } from './secrets.ts';

const PSEUDONYM = 10;
const EQUALITY = 8;
const HASH = /\b[0-9a-f]{64}\b/gu;

/** Without the salt nobody can try out what a short text may have been. */
export function pseudonymsOf(hasher: Hasher, salt: string): Pseudonym {
  return (kind, value) => hasher.sha256(JSON.stringify([salt, kind, value]));
}

/** Takes out of words what was chosen, and counts it. */
export class Scrubber {
  readonly tally = new Tally();
  private readonly places: Places;
  /** Paths that fields of the log name, the longest first. */
  private known: readonly string[] = [];

  constructor(
    readonly choices: RedactionChoices,
    private readonly around: Surroundings,
    private readonly pseudonym: Pseudonym,
  ) {
    this.places = new Places(around, (kind, value) => this.short(kind, value));
  }

  short(kind: string, value: string): string {
    return this.pseudonym(kind, value).slice(0, PSEUDONYM);
  }

  /** Of as many digits as the hash has that it stands for. */
  digits(value: string): string {
    const length = Math.min(64, Math.max(8, value.length));
    return this.pseudonym('hash', value).slice(0, length);
  }

  /** Their names then also go out of running text. */
  knowPaths(paths: Iterable<string>): void {
    this.known = [...new Set(paths)]
      .filter((path) => path.length > 2 && /[./\\]/u.test(path))
      .toSorted((one, other) => other.length - one.length || (one < other ? -1 : 1));
  }

  /** Words that are content: as a whole where contents go, else without what was chosen. */
  content(text: string): string {
    if (!this.choices.contents) return this.text(text);
    // Nothing, and nothing but room, says nothing; and states of turns hang on it.
    if (text.trim() === '') return text;
    this.tally.add('contents');
    return `[removed: ${text.length} characters #${this.pseudonym('content', text).slice(0, EQUALITY)}]`;
  }

  /** Running text without secrets, places and names of files, as chosen. */
  text(text: string): string {
    const { secrets, paths, file_names } = this.choices;
    let clean = text;
    if (secrets) clean = this.counted('secrets', withoutSecrets(clean, this.around.secrets));
    if (paths) clean = this.counted('paths', this.places.inText(clean));
    if (file_names) clean = this.counted('file_names', this.places.namesInText(clean, this.known));
    if (!isAnyChosen(this.choices)) return clean;
    // Of what may have gone: a short text could be found again by trying.
    return clean.replaceAll(HASH, (hash) => {
      this.tally.add('hashes');
      return this.digits(hash);
    });
  }

  /** A value in an object: its name may be what tells that it is a secret. */
  under(name: string, value: string | number): string | number {
    if (this.choices.secrets) {
      const before = `${name}: "`;
      const judged = withoutSecrets(`${before}${value}"`, []).text;
      if (judged.startsWith(before + SECRET)) return this.secret();
    }
    return typeof value === 'string' ? this.text(value) : value;
  }

  /** Whether all texts under a name go: a list of secrets, or one in parts. */
  hides(name: string): boolean {
    return this.choices.secrets && isSecretName(name);
  }

  secret(): string {
    this.tally.add('secrets');
    return SECRET;
  }

  /** A field that is a path. */
  path(path: string): string {
    const { secrets, paths, file_names } = this.choices;
    let clean = path;
    if (secrets) clean = this.counted('secrets', withoutSecrets(clean, this.around.secrets));
    if (paths) clean = this.counted('paths', this.places.inPath(clean));
    if (file_names && clean !== SECRET) clean = this.counted('file_names', this.places.withoutNames(clean));
    return clean;
  }

  private counted(
    kind: 'secrets' | 'paths' | 'file_names',
    { text, count }: { readonly text: string; readonly count: number },
  ): string {
    this.tally.add(kind, count);
    return text;
  }
}
