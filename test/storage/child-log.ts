import type { Draft } from '../../src/runtime/events.ts';
import { opening } from '../../src/runtime/opening.ts';
import { emptySession } from '../../src/runtime/session-state.ts';
import type { ChildOf } from '../../src/storage/log-ends.ts';
import type { SessionStore } from '../../src/storage/session-store.ts';
import { SETTINGS } from '../support/session-bench.ts';
import { openSession, TALK, type Ready, type Turn } from './recorded-session.ts';

/** Logs of children, written by the real writer: they begin with whose child they are. */

export interface Child {
  readonly id: string;
  readonly of: string;
  readonly agent?: string;
  readonly depth?: number;
  readonly task?: string;
}

export function childOf({ id, of, agent = 'explorer', depth = 1 }: Child): ChildOf {
  return { session_id: of, subagent_id: `sub-${id}`, agent, depth };
}

/** The first event of its log, as the runtime begins it. */
function started(child: Child): Draft {
  const { session_id: parent_session_id, ...origin } = childOf(child);
  const prompt = {
    client_turn_id: `client-${child.id}`,
    text: child.task ?? '',
    attachments: [],
    child: { parent_session_id, ...origin },
  };
  const settings = { ...SETTINGS, workspace: null, permission_mode: 'read_only' as const };
  const made = { turn_id: 'turn', app_version: '0.0.0' };
  const [first] = opening(emptySession(child.id), prompt, settings, made);
  if (first?.type !== 'session_started') throw new Error('a log begins in another way');
  return first;
}

/** Opened for writing, as by whoever runs it. */
export async function openChild(store: SessionStore, child: Child): Promise<Ready> {
  const ready = await openSession(store, child.id);
  await ready.session.note([started(child)]);
  return ready;
}

export async function recordChild(store: SessionStore, child: Child, turns?: readonly Turn[]): Promise<void> {
  const ready = await openChild(store, child);
  for (const turn of turns ?? [{ ...TALK, say: child.task ?? `Task of ${child.id}` }]) await ready.play(turn);
  await ready.close();
}

/** Many, each with the beginning of a log alone. */
export async function beginChildren(store: SessionStore, children: readonly Child[]): Promise<void> {
  for (const child of children) {
    const stored = await store.open(child.id, { take_over: false });
    const { writer } = await stored.load({ event: () => undefined });
    await writer?.append([started(child)]);
    await stored.close();
  }
}
