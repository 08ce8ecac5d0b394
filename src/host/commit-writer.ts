import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { ChatView } from './chat-view.ts';
import {
  type Changes,
  changedFiles,
  commitRequest,
  NO_REPLY,
  plainCommitMessage,
  type Reply,
  replyAfter,
} from './commit-message.ts';
import { FOCUS_CHAT_VIEW } from './contribution-ids.ts';
import type { Choices } from './choices.ts';
import { hostSettings } from './host-settings.ts';
import { repositories, type Repository } from './git-extension.ts';
import { inform, warn, whileShown } from './notifications.ts';
import { chooseOne } from './pick-lists.ts';
import { foreign } from './shown-text.ts';
import { endWords } from './turn-words.ts';

/**
 * Asks the model for a commit message, in a session of its own: the conversation that is open keeps its history,
 * and comes back when the answer is there.
 */
export async function writeCommitMessage(chat: ChatView, choices: Choices, provider: unknown): Promise<void> {
  const repository = await chosenRepository(provider);
  if (repository === null) return;
  const changes = await changesOf(repository);
  if (changes === null) return say(vscode.l10n.t('There are no changes to describe.'));
  if (hostSettings(choices).settings.provider === 'offline') return offerPlainMessage(repository, changes);
  const { state, session_id, turn_id } = await chat.knownFacts();
  if (state === 'running')
    return say(vscode.l10n.t('A turn is running. Write the commit message when it has ended.'));
  const before = repository.message;
  const reply = await whileShown(
    vscode.ProgressLocation.SourceControl,
    vscode.l10n.t('Writing a commit message'),
    () => ask(chat, changes),
  );
  const own = (await chat.knownFacts()).session_id;
  if (reply.kind !== 'answered') return explain(reply);
  await putIn(repository, reply.message, before);
  // Only from the session that this made: the person may have gone elsewhere meanwhile.
  if (turn_id !== null && session_id !== null && own === reply.session_id)
    await (await chat.host()).receive({ type: 'open_session', session_id });
}

type Answered = Exclude<Reply, { kind: 'pending' }> & { readonly session_id: string };

async function ask(chat: ChatView, changes: Changes): Promise<Answered> {
  const host = await chat.host();
  const client_turn_id = randomUUID();
  await host.receive({ type: 'new_session' });
  const session_id = host.sessionId;
  return new Promise<Answered>((resolve, reject) => {
    let reply: Reply = NO_REPLY;
    const subscription = chat.onDidEmit((message) => {
      reply = replyAfter(reply, message, { session_id, client_turn_id });
      if (reply.kind === 'pending') return;
      subscription.dispose();
      resolve({ ...reply, session_id });
    });
    host.receive(commitRequest(changes, client_turn_id)).catch((error: unknown) => {
      subscription.dispose();
      reject(error);
    });
  });
}

/** The one whose title bar was clicked, else the only one, else the one that the person picks. */
async function chosenRepository(provider: unknown): Promise<Repository | null> {
  const all = await repositories();
  const uri =
    typeof provider === 'object' && provider !== null ? Reflect.get(provider, 'rootUri') : undefined;
  const clicked = uri instanceof vscode.Uri ? all.find(({ root }) => root === uri.toString()) : undefined;
  const [only] = all;
  if (clicked !== undefined) return clicked;
  if (only === undefined) {
    await inform(vscode.l10n.t('No Git repository is open, or the Git extension of VS Code is off.'));
    return null;
  }
  if (all.length === 1) return only;
  const picked = await chooseOne(
    all.map((repository) => ({ label: vscode.Uri.parse(repository.root).fsPath, repository })),
    { title: vscode.l10n.t('Write a commit message for') },
  );
  return picked?.repository ?? null;
}

async function changesOf(repository: Repository): Promise<Changes | null> {
  for (const staged of [true, false]) {
    const diff = await repository.diff({ staged });
    if (diff.trim() !== '') return { staged, diff };
  }
  return null;
}

async function offerPlainMessage(repository: Repository, { diff }: Changes): Promise<void> {
  const insert = vscode.l10n.t('Insert List of Files');
  const chosen = await inform(
    vscode.l10n.t('The offline model is a script and cannot write commit messages.'),
    insert,
  );
  if (chosen === insert) await putIn(repository, plainCommitMessage(changedFiles(diff)), repository.message);
}

/** What the person wrote is never replaced without asking. */
async function putIn(repository: Repository, message: string, before: string): Promise<void> {
  if (before.trim() !== '' || repository.message !== before) {
    const replace = vscode.l10n.t('Replace');
    const chosen = await inform(
      vscode.l10n.t('The commit message is ready, but the input box already has text.'),
      replace,
    );
    if (chosen !== replace) return;
  }
  repository.message = message;
}

/** It may be a provider's, and of any length. */
const LONGEST_REASON = 300;

async function explain(reply: Extract<Answered, { kind: 'none' }>): Promise<void> {
  const { state } = reply;
  const why =
    state === null || state === 'running' || state === 'waiting'
      ? reply.reason
      : endWords(state, vscode.l10n.t);
  const show = vscode.l10n.t('Show');
  const chosen = await warn(
    vscode.l10n.t('No commit message was written. {0}', foreign(why, LONGEST_REASON)),
    show,
  );
  if (chosen === show) await vscode.commands.executeCommand(FOCUS_CHAT_VIEW);
}

async function say(message: string): Promise<void> {
  await inform(message);
}
