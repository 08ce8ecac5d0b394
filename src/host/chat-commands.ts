import * as vscode from 'vscode';
import type { ChatView } from './chat-view.ts';
import type { CommandHandler, CommandParts } from './command-parts.ts';
import { COMMANDS, type ChatCommand } from './contribution-ids.ts';
import { parseRequestPlace } from './diagnostics-arguments.ts';
import { inform, warn } from './notifications.ts';
import { saidWhileSlow } from './slow-work.ts';

/** Commands for the conversation that is open, and for who answers in it. */
export function chatCommands({
  chat,
  apiKey,
  choices,
  log,
}: CommandParts): Record<ChatCommand, CommandHandler> {
  return {
    newSession: () => chat.present({ type: 'new_session' }),
    stop: async () => (await chat.host()).receive({ type: 'stop' }),
    retryTurn: () => chat.present({ type: 'run_action', command: COMMANDS.retryTurn }),
    continueTurn: () => chat.present({ type: 'run_action', command: COMMANDS.continueTurn }),
    takeOver: () => takeOver(chat),
    reopenSession: () => reopenSession(chat),
    setApiKey: () => apiKey.ask(),
    selectModel: async () => (await import('./late-commands.ts')).selectModel({ chat, choices }),
    selectMode: async () => (await import('./late-commands.ts')).selectMode({ chat, choices }),
    useOfflineModel: () => choices.choose({ provider: 'offline' }),
    compact: (place) => compact({ chat, log }, place, { dry_run: false }),
    compactDryRun: (place) => compact({ chat, log }, place, { dry_run: true }),
    runWorkflow: async () => (await import('./late-commands.ts')).pickWorkflow(chat),
    showSkills: async () => (await import('./late-commands.ts')).pickSkill(chat),
    showOutput: () => log.show(),
  };
}

/** Who says which session is meant does so because another may be open by now. A model may take its time with it. */
async function compact(
  { chat, log }: Pick<CommandParts, 'chat' | 'log'>,
  value: unknown,
  how: { readonly dry_run: boolean },
): Promise<void> {
  const place = parseRequestPlace(value);
  if (place === null) return sayNotUnderstood();
  const { session_id: meant } = place;
  const host = await chat.host();
  if (meant !== undefined && meant !== host.sessionId) return sayElsewhere();
  const done = chat.present({ type: 'compact', ...how }).then(() => host.answered());
  await saidWhileSlow(vscode.l10n.t('Summing up the history…'), done, () => {
    host.receive({ type: 'stop' }).catch((error: unknown) => log.error(`stopping: ${String(error)}`));
  });
}

async function sayNotUnderstood(): Promise<void> {
  await warn(vscode.l10n.t('The command was called with something it does not know. Nothing was changed.'));
}

async function sayElsewhere(): Promise<void> {
  await inform(
    vscode.l10n.t(
      'This is about another session than the one that is open. Open it first; nothing was changed.',
    ),
  );
}

async function takeOver(chat: ChatView): Promise<void> {
  const { access } = await chat.knownFacts();
  if (access === 'read_only') return chat.present({ type: 'take_over' });
  await inform(vscode.l10n.t('This window already writes to the session.'));
}

async function reopenSession(chat: ChatView): Promise<void> {
  await chat.present({ type: 'open_session', session_id: (await chat.host()).sessionId });
}
