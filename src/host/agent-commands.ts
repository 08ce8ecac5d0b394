import * as vscode from 'vscode';
import { parseAgentTarget } from './agent-arguments.ts';
import type { CommandHandler, CommandParts } from './command-parts.ts';
import { COMMANDS, type AgentCommand } from './contribution-ids.ts';
import { inform, warn } from './notifications.ts';
import { sessionIdIn } from './session-argument.ts';

/** Commands about the children and workflows of a session. The conversation of that session carries them out. */
export function agentCommands(parts: CommandParts): Record<AgentCommand, CommandHandler> {
  const handed =
    (name: Exclude<AgentCommand, 'openAgent'>): CommandHandler =>
    (...args) =>
      handOver(parts, COMMANDS[name], args);
  return {
    openAgent: (session) => openAgent(parts, session),
    stopAgent: handed('stopAgent'),
    resumeAgent: handed('resumeAgent'),
    discardAgent: handed('discardAgent'),
    resumeWorkflow: handed('resumeWorkflow'),
  };
}

async function openAgent({ agents, chat }: CommandParts, session: unknown): Promise<void> {
  const session_id = sessionIdIn(session);
  if (session_id === null) return sayNotUnderstood();
  switch (await (await agents.panels()).show(session_id)) {
    case 'shown':
      return;
    case 'session':
      // What a person began opens where people talk.
      return chat.present({ type: 'open_session', session_id });
    case 'trash':
      return say(
        vscode.l10n.t('This agent was deleted: its log is in the trash. Restore it to see what it did.'),
      );
    case 'nowhere':
      return say(vscode.l10n.t('This agent has no log: it has not begun yet, or its log is gone.'));
  }
}

async function say(words: string): Promise<void> {
  await inform(words);
}

/** To the session that is named: where it is open, or in the chat, which then opens it. */
async function handOver(
  { agents, chat }: CommandParts,
  command: string,
  args: readonly unknown[],
): Promise<void> {
  const target = parseAgentTarget(command, args);
  if (target === null) return sayNotUnderstood();
  const { session_id } = target;
  const message = { type: 'run_action', command, args: [target] };
  const host = await chat.host();
  if (host.sessionId === session_id) return chat.present(message);
  const panels = await agents.panels();
  // A child may have children of its own.
  if ((await panels.show(session_id)) === 'shown') return (await panels.hostOf(session_id))?.receive(message);
  await chat.present({ type: 'open_session', session_id });
  // One that could not be opened, or was not to be left, has been told of.
  if (host.sessionId === session_id) await chat.present(message);
}

async function sayNotUnderstood(): Promise<void> {
  await warn(vscode.l10n.t('The command was called with something it does not know. Nothing was changed.'));
}
