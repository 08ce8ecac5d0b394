import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Conversation } from '../app/conversation.ts';
import type { Logger } from '../app/conversation-options.ts';
import type { HostMessage } from '../presenter/protocol.ts';
import type { Command } from './arguments.ts';
import { VERSION } from './version.ts';

const EXIT_CODES = {
  completed: 0,
  partial_failed: 2,
  failed: 3,
  interrupted: 4,
  timed_out: 5,
  waiting: 6,
  /** Only when the log could not say how it ended. */
  running: 3,
} as const;

const logger: Logger = {
  info: (message) => log('info', message),
  warn: (message) => log('warn', message),
  error: (message) => log('error', message),
};

function log(level: string, message: string): void {
  process.stderr.write(`${new Date().toISOString()} ${level} ${message}\n`);
}

export async function converse(command: Extract<Command, { kind: 'converse' }>): Promise<number> {
  const workspace = resolve(command.workspace);
  if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory() !== true) {
    process.stderr.write(`ledgerline: the workspace ${workspace} is not a folder\n`);
    return 64;
  }
  const states = new Map<string, keyof typeof EXIT_CODES>();
  const conversation = new Conversation({
    storage: resolve(command.storage),
    roots: [{ name: basename(workspace), path: workspace }],
    settings: () => command.settings,
    api_key: async () => process.env['OPENAI_API_KEY'] ?? null,
    trusted: () => true,
    app_version: VERSION,
    app_root: null,
    logger,
    emit: (message) => {
      note(message, states);
      process.stdout.write(`${JSON.stringify(message)}\n`);
    },
    ...(command.session_id === null ? {} : { session_id: command.session_id }),
  });
  process.on('SIGINT', () => {
    logger.info('stopping: interrupted by the user');
    void conversation.stop();
  });
  // A reader that went away cannot be told anything; what runs is closed as a disconnect.
  process.stdout.on('error', () => void conversation.dispose());
  return command.once === null ? interactive(conversation) : once(conversation, command.once, states);
}

function note(message: HostMessage, states: Map<string, keyof typeof EXIT_CODES>): void {
  if (message.type === 'turn_state' && message.client_turn_id !== null && message.state !== null) {
    states.set(message.client_turn_id, message.state);
  }
}

async function once(
  conversation: Conversation,
  text: string,
  states: ReadonlyMap<string, keyof typeof EXIT_CODES>,
): Promise<number> {
  const client_turn_id = randomUUID();
  const terminated = new Promise<void>((done) => {
    process.on('SIGTERM', () => {
      logger.info('disconnected: terminated');
      done();
    });
  });
  await conversation.receive({ type: 'ready' });
  await conversation.receive({ type: 'send', client_turn_id, text });
  await Promise.race([conversation.settled(), terminated]);
  await conversation.dispose();
  return EXIT_CODES[states.get(client_turn_id) ?? 'failed'];
}

async function interactive(conversation: Conversation): Promise<number> {
  const input = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  input.on('line', (line) => {
    if (line.trim() !== '') void conversation.receive(parse(line));
  });
  await new Promise<void>((done) => {
    input.on('close', done);
    process.on('SIGTERM', () => done());
  });
  logger.info('disconnected: the presenter is gone');
  input.close();
  await conversation.dispose();
  return 0;
}

/** What is not JSON is handed on as it is, to be answered as a bad message. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
