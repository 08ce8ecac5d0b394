import { nodeStorePorts } from '../../../src/app/node-ports.ts';
import { SessionStore } from '../../../src/storage/session-store.ts';
import { record } from '../../storage/recorded-session.ts';
import { message, responds } from '../scripted-provider.ts';
import type { Storage } from './log-record.ts';

/** The store that a window has open, for another writer beside it. */
export async function storeOf(window: Storage): Promise<SessionStore> {
  return new SessionStore(
    nodeStorePorts(() => undefined),
    await window.storageDir(),
  );
}

/** A session of questions and answers, written by the real writer: to ask them all would take too long. */
export async function recordTalk(
  window: Storage,
  talk: { readonly id: string; readonly questions: readonly string[]; readonly answer: string },
): Promise<void> {
  const turns = talk.questions.map((say) => ({ say, scripts: [responds(message(talk.answer))] }));
  await record(await storeOf(window), turns, talk.id);
}
