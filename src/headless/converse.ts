import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { Conversation } from '../app/conversation.ts';
import { ruleProblems } from '../app/workspace-rules.ts';
import type { Command } from './arguments.ts';
import { inputLines } from './input-lines.ts';
import { Interruptions } from './interruptions.ts';
import type { HostMessage } from '../presenter/protocol.ts';
import { jsonLine } from '../runtime/json-line.ts';
import { stderrLogger as logger } from './stderr-logger.ts';
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

export async function converse(command: Extract<Command, { kind: 'converse' }>): Promise<number> {
  const workspace = resolve(command.workspace);
  if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory() !== true) {
    process.stderr.write(`ledgerline: the workspace ${workspace} is not a folder\n`);
    return 64;
  }
  for (const { text, list, message } of ruleProblems(command.settings))
    logger.warn(`permissions.${list}: ${JSON.stringify(text)}: ${message}`);
  let waitsFor: Pending = [];
  let tellHeldUp: ((asked: ChildrenMessage) => void) | null = null;
  const heldUp = new Promise<ChildrenMessage>((resolveHeldUp) => (tellHeldUp = resolveHeldUp));
  const interruptions = new Interruptions();
  const conversation = new Conversation({
    storage: resolve(command.storage),
    roots: [{ name: basename(workspace), path: workspace }],
    home: homedir(),
    settings: () => command.settings,
    api_key: async () => process.env['OPENAI_API_KEY'] ?? null,
    trusted: () => true,
    app_version: VERSION,
    app_root: null,
    logger,
    emit: (message) => {
      if (message.type === 'turn_state') waitsFor = message.pending ?? [];
      if (message.type === 'children' && conversation.isHeldUp) tellHeldUp?.(message);
      const interrupted = interruptions.lineOf(message);
      if (interrupted !== null) logger.info(interrupted);
      process.stdout.write(`${jsonLine(message)}\n`);
    },
    ...(command.session_id === null ? {} : { session_id: command.session_id }),
  });
  process.on('SIGINT', () => {
    logger.info('stopping: interrupted by the user');
    void conversation.stop();
  });
  const gone = presenterGone();
  if (command.once === null) return interactive(conversation, gone);
  const code = await once(conversation, command.once, { gone, heldUp });
  if (code === EXIT_CODES.waiting) process.stderr.write(pendingText(conversation.sessionId, waitsFor));
  return code;
}

type ChildrenMessage = Extract<HostMessage, { type: 'children' }>;
type Pending = NonNullable<Extract<HostMessage, { type: 'turn_state' }>['pending']>;

/** What waits, and how to go on with it. */
function pendingText(sessionId: string, pending: Pending): string {
  const lines = pending.map(({ call_id, name, suspension }) => {
    const message =
      typeof suspension === 'object' && suspension !== null && 'message' in suspension
        ? String(suspension.message)
        : '';
    return `  ${call_id} ${name}: ${message}\n`;
  });
  const decide = '{"type":"decide","target_id":"<call id>","decision_id":"<any id>","action":"resume"}';
  return `waiting for ${pending.length} decision${pending.length === 1 ? '' : 's'}:\n${lines.join('')}To decide, run with --session ${sessionId}, send ${decide} (or "cancel"), and keep its input open until the turn has ended.\n`;
}

/** What agents ask, and how to go on with them: their questions stay in their own sessions. */
function askedText({ items }: ChildrenMessage): string {
  const lines = items.flatMap(({ child_session_id, questions }) =>
    questions.map(
      ({ call_id, name }) => `  ${call_id} ${name}, asked by an agent in session ${child_session_id}\n`,
    ),
  );
  return `waiting for decisions of agents:\n${lines.join('')}To decide, run with --session <session of the agent>.\n`;
}

/** Terminated, hung up on, or nobody reads any more: what runs is closed as a disconnect. */
function presenterGone(): Promise<void> {
  return new Promise((resolveGone) => {
    const leave = (why: string): void => {
      logger.info(`disconnected: ${why}`);
      resolveGone();
    };
    process.on('SIGTERM', () => leave('terminated'));
    process.on('SIGHUP', () => leave('hung up'));
    process.stdout.on('error', () => leave('nobody reads'));
  });
}

interface Endings {
  readonly gone: Promise<void>;
  /** Children ask what nobody here can answer. */
  readonly heldUp: Promise<ChildrenMessage>;
}

async function once(conversation: Conversation, text: string, { gone, heldUp }: Endings): Promise<number> {
  const client_turn_id = randomUUID();
  void conversation.receive({ type: 'ready' });
  void conversation.receive({ type: 'send', client_turn_id, text });
  const asked = await Promise.race([conversation.settled(), gone, heldUp]);
  await conversation.dispose();
  if (asked !== undefined) process.stderr.write(askedText(asked));
  return EXIT_CODES[conversation.stateOf(client_turn_id) ?? 'failed'];
}

async function interactive(conversation: Conversation, gone: Promise<void>): Promise<number> {
  await Promise.race([hear(conversation), gone]);
  await conversation.dispose();
  return 0;
}

/** Until the input ends; what was said before that is still heard. */
async function hear(conversation: Conversation): Promise<void> {
  for await (const line of inputLines(process.stdin)) {
    if (line.trim() !== '') void conversation.receive(parse(line));
  }
  logger.info('disconnected: the input ended');
  await conversation.answered();
}

/** What is not JSON is handed on as nothing, to be answered as a bad message. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
