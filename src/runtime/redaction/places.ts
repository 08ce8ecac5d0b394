import type { Pseudonym, Surroundings } from './choices.ts';

/** Pure: places on a machine, and names of files, in running text and in fields that hold nothing else. */

const WORKSPACE = '<workspace>';
const SHORTEST_NAME = 3;
/** What a file is, which says nothing of whose it is. */
const ENDING =
  /\.(?:[cm]?[jt]sx?|astro|bash|bat|bmp|cc?|cfg|clj|cmake|conf|cpp|cs|css|csv|cxx|dart|db|diff|dockerfile|env|exs?|fs|gif|go|gradle|graphql|hpp?|hs|html?|ico|ini|ipynb|java|jl|jpe?g|jsonc?|jsonl|kts?|less|lock|log|lua|mdx?|ml|mm|nix|patch|pdf|php|pl|png|proto|ps1|pyi?|rb|rs|rst|sass|scala|scss|sh|sol|sql|svelte|svg|swift|tar|tf|toml|txt|vue|webp|xml|ya?ml|zig|zip|zsh)$/iu;

const EMAIL = /(?<![\w.+-])[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}\b/giu;
/** Who is where, as a shell says it. */
const PROMPT = /(?<![\w.-])[\w.-]{1,64}@[\w-]{1,63}(?=:[~/])/giu;
const PLACE_URL =
  /(?<![a-z])(?:file|vscode(?:-[a-z-]{1,30})?|smb|sftp|ssh|nfs|afp|cifs):\/\/[^\s"'<>)\]\u0060]+/giu;
/** A name with room in it is one where a capital follows, and a separator. */
const ROOMY = String.raw`(?: [\p{Lu}\d][^\s\\/"'<>|:*?\x60]{0,60}){1,3}(?=[\\/])`;
/** The places that hold people's own files. */
const OWN = String.raw`(?:[Hh]ome|HOME|[Uu]sers|USERS|root|mnt|media|srv|var|opt|tmp|private|Volumes|workspaces?)`;
/** In quotes, a path ends where they do. */
const QUOTED = new RegExp(
  String.raw`(?<=(["'\x60]))(?:[A-Za-z]:[\\/]|\\\\[\w.$?-]|\/${OWN}\/)[^"'\x60<>\r\n]{1,1000}(?=\1)`,
  'gu',
);
const WINDOWS = new RegExp(
  String.raw`(?<![A-Za-z0-9])[A-Za-z]:(?:\\{1,4}|\/)(?:[^\s"'<>|:*?\x60]|${ROOMY})*`,
  'gu',
);
const SHARED = new RegExp(String.raw`\\\\{1,3}[\w.$-]{1,255}\\{1,4}(?:[^\s"'<>|:*?\x60]|${ROOMY})*`, 'gu');
/** Also by one name alone, behind the letter of an option, and with separators escaped. */
const HOMES = new RegExp(
  String.raw`(?<![\w./-]|<(?:workspace|home|path|host|user)>|(?<!\\)\\|(?<=:)(?=\/\/))(?:(?<!\w)-[A-Za-z])?(?:\\{0,4}\/|\\{1,4}u002f)(?:[a-z]\/)?${OWN}(?![\w-])(?:(?:\\{1,4}u002f|[\\/])(?:\\ |[^\s"'<>:,;)\]\x60]|${ROOMY})*)?`,
  'gu',
);
const ENCODED = new RegExp(
  String.raw`(?:(?<![a-z])[a-z](?:%3A|:))?(?:%2F|%5C)${OWN}(?:%2F|%5C)[^\s"'<>&]*`,
  'giu',
);
const OTHER_HOME = /(?<![\w./~-])~[a-z][\w.-]{0,32}\/[^\s"'<>:,;)\]\u0060]*/giu;
/** Two names at least: one alone after a slash is as often a command or a fraction. */
const POSIX =
  /(?<![\w./<>~@-])~?\/(?:[\p{L}\p{M}\p{N}_.@+%~-]|\\ ){1,255}(?:\/(?:[\p{L}\p{M}\p{N}_.@+%~-]|\\ ){0,255})+/gu;

/** What the form alone tells; what is quoted first, because it tells most. */
export const PLACE_FORMS: readonly RegExp[] = [
  PLACE_URL,
  QUOTED,
  WINDOWS,
  SHARED,
  HOMES,
  ENCODED,
  OTHER_HOME,
  POSIX,
];

export interface Cleaned {
  readonly text: string;
  readonly count: number;
}

type Literal = readonly [written: string, instead: string];

export class Places {
  private readonly literals: readonly (readonly [RegExp, string])[];
  private readonly names: readonly (readonly [RegExp, string])[];

  constructor(
    private readonly around: Surroundings,
    private readonly pseudonym: Pseudonym,
  ) {
    const literals: readonly Literal[] = [
      ...around.workspaces.map((root): Literal => [root, WORKSPACE]),
      ...(around.home === null ? [] : [[around.home, '<home>'] as const]),
    ];
    this.literals = literals
      .filter(([root]) => root.replaceAll(/[\\/]/gu, '').length > 1)
      // The longest first: one may be inside of another.
      .toSorted(([one], [other]) => other.length - one.length)
      .flatMap(([root, instead]) => writtenForms(root).map((form) => [form, instead] as const));
    const [host = ''] = around.host?.split('.') ?? [];
    this.names = [
      ...nameForm(around.user, '<user>'),
      ...nameForm(around.host, '<host>'),
      // A name by itself stands for the whole one, but for that of every machine.
      ...nameForm(host.toLowerCase() === 'localhost' ? null : host, '<host>'),
    ];
  }

  /** Running text without places. */
  inText(text: string): Cleaned {
    let count = 0;
    const put = (clean: string, pattern: RegExp, instead: string): string =>
      clean.replace(pattern, () => {
        count += 1;
        return instead;
      });
    let clean = text;
    for (const [pattern, instead] of this.literals) clean = put(clean, pattern, instead);
    clean = put(clean, EMAIL, '<email>');
    for (const pattern of PLACE_FORMS) clean = put(clean, pattern, '<path>');
    // What is before a place that is known says no more than that.
    clean = clean.replaceAll(/<path>(?=<(?:workspace|home)>)/gu, '');
    clean = put(clean, PROMPT, '<user>@<host>');
    for (const [pattern, instead] of this.names) clean = put(clean, pattern, instead);
    return { text: clean, count };
  }

  /** A field that holds one path and nothing else: spaces in it are part of it. */
  inPath(path: string): Cleaned {
    for (const [pattern, instead] of this.literals) {
      const start = new RegExp(`^(?:file://)?${pattern.source}`, pattern.flags.replace('g', ''));
      if (start.test(path)) {
        const rest = this.inText(path.replace(start, ''));
        return { text: instead + rest.text, count: rest.count + 1 };
      }
    }
    if (isAbsolute(path)) return { text: '<path>', count: 1 };
    return this.inText(path);
  }

  /** The names in a path, each by its pseudonym; what kind of file it is stays. */
  withoutNames(path: string): Cleaned {
    let count = 0;
    const text = path
      .split(/([\\/]+)/u)
      .map((part) => {
        if (part === '' || /^(?:[\\/]+|\.{1,2}|<\w+>)$/u.test(part)) return part;
        count += 1;
        return this.nameFor(part);
      })
      .join('');
    return { text, count };
  }

  private nameFor(name: string): string {
    const ending = ENDING.exec(name)?.[0] ?? '';
    return `name_${this.pseudonym('name', name)}${ending.toLowerCase()}`;
  }

  /** Names of files in running text: those that a field of the log names, and whatever has the ending of one. */
  namesInText(text: string, known: readonly string[]): Cleaned {
    let count = 0;
    let clean = text;
    for (const path of known) {
      const parts = clean.split(path);
      if (parts.length === 1) continue;
      count += parts.length - 1;
      clean = parts.join(this.withoutNames(path).text);
    }
    const token = /[\w.@+-]{1,120}(?:[\\/]{1,2}[\w.@+-]{1,120}){0,40}/gu;
    clean = clean.replace(token, (found) => {
      if (found.startsWith('name_') || !ENDING.test(found)) return found;
      const bare = found.split(/[\\/]/u).every((part) => part.startsWith('name_') || part === '');
      if (bare) return found;
      count += 1;
      return this.withoutNames(found).text;
    });
    return { text: clean, count };
  }
}

export function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|~[\\/]|[a-z]:[\\/]|file:)/iu.test(path);
}

/** As it is, with either separator, with separators escaped, and as in an address. */
function writtenForms(root: string): readonly RegExp[] {
  const bare = root.replace(/[\\/]+$/u, '');
  const separated = bare.split(/[\\/]+/u);
  const between = String.raw`(?:\\{1,4}|\\{0,4}/{1,2})`;
  const joined = separated.map(spaced).join(between).replace(between, rooted(separated, between));
  const encoded = separated.map(inAddress).join('(?:/|%2[Ff]|%5[Cc])');
  // Where systems do not tell capitals from others, neither does what they write.
  const flags = /^(?:[a-z]:|\/Users\/|\/Volumes\/|\\\\)/iu.test(bare) ? 'giu' : 'gu';
  // A name that only begins like it is another one.
  const forms = [joined, encoded].map((form) => `${form}(?![\\w-])`);
  return [...new Set(forms)].map((form) => new RegExp(form, flags));
}

/** With room as it is, escaped or encoded. */
function spaced(part: string): string {
  return escaped(part).replaceAll(' ', String.raw`(?:\\{0,4} |%20)`);
}

/** Some write the sign after the letter of a drive as it is. */
function inAddress(part: string): string {
  return escaped(encodeURIComponent(part)).replace(/^([a-z])%3A$/iu, '$1(?::|%3[Aa])');
}

/** Before the first name of all there is one: in an address, those before it are not its own. */
function rooted([first]: readonly string[], between: string): string {
  return first === '' ? String.raw`(?:\\{1,4}|/)` : between;
}

function nameForm(name: string | null, instead: string): readonly (readonly [RegExp, string])[] {
  if (name === null || name.length < SHORTEST_NAME) return [];
  const written = new Set([name, encodeURIComponent(name), inJson(name)]);
  return [...written].map((one) => [new RegExp(`(?<![a-z0-9])${escaped(one)}(?![a-z0-9])`, 'giu'), instead]);
}

/** As JSON has it where that is to be plain letters. */
function inJson(text: string): string {
  return text.replaceAll(
    /[\u0080-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/gu, String.raw`\$&`);
}
