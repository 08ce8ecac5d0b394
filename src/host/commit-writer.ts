import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { translatedSentence } from '../presenter/host-sentences.ts';
import type { HostMessage } from '../presenter/protocol.ts';
import type { CommandParts } from './command-parts.ts';
import { type Changes, changesOf } from './commit-changes.ts';
import {
  commitRequest,
  NO_REPLY,
  plainCommitMessage,
  type Reply,
  replyAfter,
  type Settled,
  subjectOf,
} from './commit-message.ts';
import { repositories, type Repository } from './git-extension.ts';
import { hostSettings } from './host-settings.ts';
import { inform, untilCancelled, warn } from './notifications.ts';
import { chooseOne } from './pick-lists.ts';
import { foreign } from './shown-text.ts';
import { endWords } from './turn-words.ts';

export interface CommitParts extends Pick<CommandParts, 'chat' | 'choices' | 'sessions' | 'log'> {
  /** The repositories for which a message is being written. */
  readonly writing: Set<string>;
}

/**
 * Asks the model for a commit message, in a session of its own and without tools: what is in a diff directs nobody,
 * and the chat stays where it is.
 */
export async function writeCommitMessage(parts: CommitParts, provider: unknown): Promise<void> {
  const repository = await chosenRepository(provider);
  if (repository === null) return;
  const host = await parts.chat.host();
  const changes = await changesOf(repository, (given) => host.lookUp(given));
  if (changes === null) return say(vscode.l10n.t('There are no changes to describe.'));
  if (hostSettings(parts.choices).settings.provider === 'offline')
    return offerPlainMessage(repository, changes);
  const { staged, diff } = changes;
  if (diff === null)
    return say(
      vscode.l10n.t('All changes are in files that tools may not read, so there is nothing to send.'),
    );
  if (parts.writing.has(repository.root)) return;
  const before = repository.message;
  parts.writing.add(repository.root);
  const reply = await ask(parts, { staged, diff }).finally(() => parts.writing.delete(repository.root));
  if (reply.kind === 'answered') return putIn(repository, reply.message, before);
  if (reply.kind === 'none') await explain(parts, reply);
}

type Answered = (Settled & { readonly session_id: string }) | { readonly kind: 'cancelled' };
type Sendable = Parameters<typeof commitRequest>[0];

async function ask(parts: CommitParts, changes: Sendable): Promise<Answered> {
  const title = vscode.l10n.t('Writing a commit message');
  return untilCancelled(title, async (token) => {
    const reply = await replyTo(parts, changes, token);
    return reply.kind === 'none' && token.isCancellationRequested ? { kind: 'cancelled' } : reply;
  });
}

async function replyTo(
  parts: CommitParts,
  changes: Sendable,
  token: vscode.CancellationToken,
): Promise<Settled & { readonly session_id: string }> {
  const host = await parts.chat.host();
  const client_turn_id = randomUUID();
  let reply: Reply = NO_REPLY;
  const hear = (message: HostMessage): void => {
    reply = replyAfter(reply, message, client_turn_id);
  };
  return host.aside(hear, async (side) => {
    const { sessionId: session_id } = side;
    const stopping = token.onCancellationRequested(() => void side.stop());
    try {
      await side.send(commitRequest(changes, client_turn_id));
      if (reply.kind !== 'none') await rename(parts, session_id, vscode.l10n.t('Commit message'));
      await side.settled();
    } finally {
      stopping.dispose();
    }
    const came = settledOf(reply);
    if (came.kind === 'answered')
      await rename(parts, session_id, vscode.l10n.t('Commit message: {0}', subjectOf(came.message)));
    return { ...came, session_id };
  });
}

/** Its first line is for the model. What a session is called keeps nobody from what it says. */
async function rename({ sessions, log }: CommitParts, sessionId: string, title: string): Promise<void> {
  try {
    await (await sessions.sessions()).rename(sessionId, title);
    sessions.refresh(sessionId);
  } catch (error) {
    log.warn(`naming the session ${sessionId}: ${String(error)}`);
  }
}

/** A turn of which nothing came. */
function settledOf(reply: Reply): Settled {
  return reply.kind === 'pending' ? { kind: 'none', state: null, reason: '' } : reply;
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

async function offerPlainMessage(repository: Repository, { files }: Changes): Promise<void> {
  const insert = vscode.l10n.t('Insert List of Files');
  const chosen = await inform(
    vscode.l10n.t('The offline model is a script and cannot write commit messages.'),
    insert,
  );
  if (chosen === insert) await putIn(repository, plainCommitMessage(files), repository.message);
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

async function explain({ chat }: CommitParts, reply: Extract<Answered, { kind: 'none' }>): Promise<void> {
  const { state, reason, session_id } = reply;
  const why =
    state === null || state === 'running' || state === 'waiting'
      ? translatedSentence(reason, vscode.l10n.t)
      : endWords(state, { why: reason, timeout_ms: null }, vscode.l10n.t);
  const show = vscode.l10n.t('Show');
  const chosen = await warn(
    vscode.l10n.t('No commit message was written. {0}', foreign(why, LONGEST_REASON)),
    // What was not sent has no session to look at.
    ...(state === null ? [] : [show]),
  );
  if (chosen === show) await chat.present({ type: 'open_session', session_id });
}

async function say(message: string): Promise<void> {
  await inform(message);
}
