import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Which commands a real shell runs for each line: names and words, as the commands got them. */
export type Runs = readonly (readonly (readonly string[])[])[];

const FIELD = '\u001F';
const RECORD = `\u001E${FIELD}`;

/** a, b, c and d tell that they ran, with their words, and then differ in what they print and return. */
const TELL = String.raw`printf '%s\037' "$LINE_NO" NAME "$@" "$RECORD" >>"$TOLD"`;
const COMMANDS = {
  a: `${TELL}; printf 'b q'`,
  b: `${TELL}; false`,
  c: `${TELL}; printf c`,
  d: `${TELL}; printf 'p  c'; false`,
} as const;

const PROGRAMS = 'env xargs timeout nohup nice bash sh dash find setsid stdbuf echo'.split(' ');

export interface RunOptions {
  readonly shell: string;
  /** As functions they are fast; as programs they can be run by other programs. */
  readonly as: 'functions' | 'programs';
}

export function runLines(lines: readonly string[], { shell, as }: RunOptions): Runs {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerline-shell-'));
  try {
    const [bin, told, work] = ['bin', 'told', 'work'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const path of [bin, work]) mkdirSync(path);
    writeFileSync(told, '');
    writeFileSync(join(work, 'i'), 'p q\n');
    if (as === 'programs') makePrograms(bin);
    const script = join(folder, 'script');
    writeFileSync(
      script,
      [...(as === 'functions' ? FUNCTIONS : []), ...lines.map(lineScript), 'wait'].join('\n'),
    );
    execFileSync(shell, [script], {
      cwd: work,
      env: { PATH: bin, HOME: work, TOLD: told, RECORD: '\u001E', x: 'b r', FUNCNEST: '20' },
      stdio: 'ignore',
      timeout: 120_000,
    });
    return grouped(readFileSync(told, 'utf8'), lines.length);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const FUNCTIONS = Object.entries(COMMANDS).map(
  ([name, body]) => `${name}() { ${body.replaceAll('NAME', name)}; }`,
);

function makePrograms(bin: string): void {
  for (const [name, body] of Object.entries(COMMANDS)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body.replaceAll('NAME', name)}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  for (const name of PROGRAMS) {
    const folders = (process.env['PATH'] ?? '').split(':').map((path) => join(path, name));
    const found = folders.find((path) => existsSync(path));
    if (found !== undefined) symlinkSync(found, join(bin, name));
  }
}

function lineScript(line: string, index: number): string {
  const quoted = `'${line.replaceAll("'", String.raw`'\''`)}'`;
  return `LINE_NO=${index}; export LINE_NO; ( eval ${quoted}; wait ) </dev/null >/dev/null 2>&1`;
}

function grouped(told: string, count: number): Runs {
  const runs = Array.from({ length: count }, (): string[][] => []);
  for (const record of told.split(RECORD)) {
    const [line, ...words] = record.split(FIELD);
    if (words.length > 0) runs[Number(line)]?.push(words.slice(0, -1));
  }
  return runs;
}
