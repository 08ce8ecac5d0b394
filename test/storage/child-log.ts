import { draft } from '../../src/runtime/events.ts';
import { PROMPT_CONTRACT_VERSION } from '../../src/runtime/prompt/contract.ts';
import type { ChildOf } from '../../src/storage/log-ends.ts';
import type { SessionStore } from '../../src/storage/session-store.ts';
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

function started(child: Child): ReturnType<typeof draft> {
  const { session_id, subagent_id, agent, depth } = childOf(child);
  return draft('session_started', {
    client_turn_id: `client-${child.id}`,
    workspace: null,
    app_version: '0.0.0',
    prompt_contract_version: PROMPT_CONTRACT_VERSION,
    permission_mode: 'read_only',
    fork_root_session_id: child.id,
    parent_session_id: session_id,
    subagent_id,
    agent,
    depth,
  });
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
