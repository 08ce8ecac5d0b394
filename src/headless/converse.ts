import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { Conversation } from '../app/conversation.ts';
import { ruleProblems } from '../app/workspace-rules.ts';
import type { Command } from './arguments.ts';
import { inputLines } from './input-lines.ts';
import { Interruptions } from './interruptions.ts';
import type { Logger } from '../app/conversation-options.ts';
import type { HostMessage } from '../presenter/protocol.ts';
import { jsonLine } from '../runtime/json-line.ts';
import type { Terminal } from './terminal.ts';
import { terminalLogger } from './terminal-logger.ts';
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

export async function converse(
  command: Extract<Command, { kind: 'converse' }>,
  terminal: Terminal,
): Promise<number> {
  const { stdout, stderr, env } = terminal;
  const logger = terminalLogger(terminal);
  const workspace = resolve(command.workspace);
  if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory() !== true) {
    stderr.write(`ledgerline: the workspace ${workspace} is not a folder\n`);
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
    home: terminal.home,
    settings: () => command.settings,
    api_key: async () => env['OPENAI_API_KEY'] ?? null,
    trusted: () => true,
    app_version: VERSION,
    app_root: null,
    logger,
    emit: (message) => {
      if (message.type === 'turn_state') waitsFor = message.pending ?? [];
      if (message.type === 'children' && conversation.isHeldUp) tellHeldUp?.(message);
      const interrupted = interruptions.lineOf(message);
      if (interrupted !== null) logger.info(interrupted);
      stdout.write(`${jsonLine(message)}\n`);
    },
    ...(command.session_id === null ? {} : { session_id: command.session_id }),
  });
  terminal.onSignal('SIGINT', () => {
    logger.info('stopping: interrupted by the user');
    void conversation.stop();
  });
  const gone = presenterGone(terminal, logger);
  if (command.once === null) return interactive(conversation, gone, terminal);
  const { code, asked } = await once(conversation, command.once, { gone, heldUp });
  if (asked !== null) stderr.write(askedText(asked));
  if (code === EXIT_CODES.waiting) stderr.write(pendingText(conversation.sessionId, waitsFor));
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
function presenterGone({ stdout, onSignal }: Terminal, logger: Logger): Promise<void> {
  return new Promise((resolveGone) => {
    const leave = (why: string): void => {
      logger.info(`disconnected: ${why}`);
      resolveGone();
    };
    onSignal('SIGTERM', () => leave('terminated'));
    onSignal('SIGHUP', () => leave('hung up'));
    stdout.on('error', () => leave('nobody reads'));
  });
}

interface Endings {
  readonly gone: Promise<void>;
  /** Children ask what nobody here can answer. */
  readonly heldUp: Promise<ChildrenMessage>;
}

async function once(
  conversation: Conversation,
  text: string,
  { gone, heldUp }: Endings,
): Promise<{ readonly code: number; readonly asked: ChildrenMessage | null }> {
  const client_turn_id = randomUUID();
  void conversation.receive({ type: 'ready' });
  void conversation.receive({ type: 'send', client_turn_id, text });
  const asked = await Promise.race([conversation.settled(), gone, heldUp]);
  await conversation.dispose();
  const code = EXIT_CODES[conversation.stateOf(client_turn_id) ?? 'failed'];
  return { code, asked: asked ?? null };
}

async function interactive(
  conversation: Conversation,
  gone: Promise<void>,
  terminal: Terminal,
): Promise<number> {
  await Promise.race([hear(conversation, terminal), gone]);
  await conversation.dispose();
  return 0;
}

/** Until the input ends; what was said before that is still heard. */
async function hear(conversation: Conversation, terminal: Terminal): Promise<void> {
  for await (const line of inputLines(terminal.stdin)) {
    if (line.trim() !== '') void conversation.receive(parse(line));
  }
  terminalLogger(terminal).info('disconnected: the input ended');
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
