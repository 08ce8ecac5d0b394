import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { program } from '../../src/headless/program.ts';
import type { Signal } from '../../src/headless/terminal.ts';
import { EMPTY_HOME, onceBy, type Message, type Run } from './headless.ts';

/**
 * The headless presenter in this process, with pipes all the same: for what it says and does, where ending a process
 * is no part of it. A process takes a fifth of a second of a core only to be there.
 */

interface Started {
  readonly stdout: PassThrough;
  readonly stdin: PassThrough;
  readonly stderr: () => string;
  readonly exited: Promise<number>;
  readonly send: (signal: Signal) => void;
}

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const heard = new Map<Signal, () => void>();
  let errors = '';
  stderr.on('data', (piece: Buffer) => (errors += piece.toString()));
  const exited = program(args, {
    stdin,
    stdout,
    stderr,
    env: { OPENAI_API_KEY: 'sk-test', ...env },
    home: EMPTY_HOME,
    onSignal: (signal, listener) => void heard.set(signal, listener),
  }).finally(() => stdout.end());
  const send = (signal: Signal): void => {
    const listener = heard.get(signal);
    if (listener === undefined) throw new Error(`${signal} would have ended it`);
    listener();
  };
  return { stdout, stdin, stderr: () => errors, exited, send };
}

export function headlessHere(args: readonly string[], env: NodeJS.ProcessEnv = {}): Run {
  const { stdin, stdout, stderr, exited, send } = start(args, env);
  const messages: Message[] = [];
  const waiting = new Set<(message: Message) => void>();
  const lines = createInterface({ input: stdout });
  lines.on('line', (line) => {
    const message = JSON.parse(line) as Message;
    messages.push(message);
    for (const hear of waiting) hear(message);
  });
  const heard = new Promise<void>((resolve) => lines.on('close', resolve));
  return {
    messages,
    stderr,
    pid: process.pid,
    send: (message) => stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    until: async (fits) =>
      messages.find(fits) ??
      (await new Promise<Message>((resolve) => {
        waiting.add((message) => {
          if (fits(message)) resolve(message);
        });
      })),
    closeInput: () => stdin.end(),
    kill: (signal) => {
      if (signal !== 'SIGINT' && signal !== 'SIGTERM') throw new Error(`${signal} is for a process`);
      send(signal);
    },
    exited: exited.then(async (code) => {
      await heard;
      return code;
    }),
  };
}

export const onceHere = onceBy(headlessHere);

/** Prints a JSON document, as `diagnose`, `replay` and `compact` do. */
export async function inspectHere(
  args: readonly string[],
): Promise<{ readonly code: number; readonly document: unknown }> {
  const { stdout, exited } = start(args);
  const text = await stdout.toArray();
  const code = await exited;
  const document = Buffer.concat(text as Buffer[]).toString();
  return { code, document: document === '' ? null : (JSON.parse(document) as unknown) };
}
