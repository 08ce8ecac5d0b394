import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { LogEvent } from '../../src/runtime/events.ts';
import { REQUIRE_BANNER } from '../../src/dev/bundle-options.mjs';

/** The headless presenter as programs meet it: a process with pipes. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let bundled: Promise<string> | null = null;

/** Bundled once a worker, from the sources as they are: never a stale dist. */
function bundle(): Promise<string> {
  bundled ??= (async () => {
    const outdir = await mkdtemp(join(tmpdir(), 'ledgerline-headless-'));
    await build({
      entryPoints: { headless: join(ROOT, 'src/headless/main.ts') },
      outdir,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      outExtension: { '.js': '.mjs' },
      mainFields: ['module', 'main'],
      banner: { js: REQUIRE_BANNER },
      logLevel: 'error',
    });
    process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
    return join(outdir, 'headless.mjs');
  })();
  return bundled;
}

export type Message = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface Run {
  readonly messages: Message[];
  readonly stderr: () => string;
  readonly pid: number;
  send(message: object | string): void;
  /** The first message that fits, past or future. */
  until(fits: (message: Message) => boolean): Promise<Message>;
  closeInput(): void;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<number | NodeJS.Signals>;
}

export interface Place {
  readonly workspace: string;
  readonly storage: string;
  /** Stands for the person's own folder: nothing of the machine's is ever looked at. */
  readonly home: string;
}

export async function makePlace(): Promise<Place & { remove(): Promise<void> }> {
  const base = await mkdtemp(join(tmpdir(), 'ledgerline-place-'));
  const { mkdir } = await import('node:fs/promises');
  const place = {
    workspace: join(base, 'workspace'),
    storage: join(base, 'storage'),
    home: join(base, 'home'),
  };
  await mkdir(place.workspace);
  await mkdir(place.home);
  return {
    ...place,
    remove: () => rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }),
  };
}

/** A home that has nothing in it, whoever runs the tests. */
export const EMPTY_HOME = mkdtempSync(join(tmpdir(), 'ledgerline-home-'));
process.on('exit', () => rmSync(EMPTY_HOME, { recursive: true, force: true }));
const NOBODY = { HOME: EMPTY_HOME, USERPROFILE: EMPTY_HOME };

export async function headless(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Run> {
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(
    process.execPath,
    [await bundle(), ...args],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...NOBODY, OPENAI_API_KEY: 'sk-test', ...env },
    },
  );
  const messages: Message[] = [];
  const waiting: {
    readonly fits: (message: Message) => boolean;
    readonly resolve: (message: Message) => void;
  }[] = [];
  let errors = '';
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
  child.stdin.on('error', () => undefined);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    messages.push(message);
    for (const one of waiting) if (one.fits(message)) one.resolve(message);
  });
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.on('close', (code, signal) => resolve(signal ?? code ?? -1));
  });
  return {
    messages,
    stderr: () => errors,
    pid: child.pid ?? 0,
    send: (message) =>
      child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    until: (fits) => {
      const known = messages.find(fits);
      return known === undefined
        ? new Promise((resolve) => waiting.push({ fits, resolve }))
        : Promise.resolve(known);
    },
    closeInput: () => child.stdin.end(),
    kill: (signal) => child.kill(signal),
    exited,
  };
}

export interface TurnOptions {
  readonly session?: string;
  readonly set?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

export function placeArgs(
  place: Omit<Place, 'home'>,
  url: string | null,
  options: TurnOptions = {},
): string[] {
  const sets = url === null ? ['provider=offline'] : [`baseUrl=${url}`, 'model=gpt-test'];
  const all = [...sets, 'permissionMode=auto', ...(options.set ?? [])];
  const where = [
    '--workspace',
    place.workspace,
    '--storage',
    place.storage,
    '--session',
    options.session ?? 's1',
  ];
  return [...where, ...all.flatMap((set) => ['--set', set])];
}

/** One turn with `--once`: its messages and its exit code. */
export type Once = (
  place: Place,
  url: string | null,
  text: string,
  options?: TurnOptions,
) => Promise<{ readonly code: number | NodeJS.Signals; readonly run: Run }>;

export function onceBy(
  start: (args: readonly string[], env?: NodeJS.ProcessEnv) => Run | Promise<Run>,
): Once {
  return async (place, url, text, options = {}) => {
    const run = await start([...placeArgs(place, url, options), '--once', text], options.env);
    return { code: await run.exited, run };
  };
}

export const once = onceBy(headless);

export async function readEvents(place: Omit<Place, 'home'>, session = 's1'): Promise<LogEvent[]> {
  const text = await readFile(join(place.storage, 'sessions', `${session}.jsonl`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogEvent);
}

/** Prints a JSON document, as `diagnose` and `replay` do. */
export async function inspectJson(
  args: readonly string[],
): Promise<{ readonly code: number | NodeJS.Signals; readonly document: unknown }> {
  const child = spawn(process.execPath, [await bundle(), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stdout.on('data', (piece: Buffer) => (text += piece.toString()));
  const code = await new Promise<number | NodeJS.Signals>((resolve) => {
    child.on('close', (exit, signal) => resolve(signal ?? exit ?? -1));
  });
  return { code, document: text === '' ? null : (JSON.parse(text) as unknown) };
}
