import { DiskError } from '../storage/disk.ts';
import type { ChildOf, ForkOf } from '../storage/log-ends.ts';
import { isSessionId } from '../storage/session-paths.ts';
import { SessionStore } from '../storage/session-store.ts';
import { whereaboutsOf } from '../storage/trash.ts';
import { nodeStorePorts } from './node-ports.ts';

/** Whose child a session is, as it is shown. */
export interface Parentage extends ChildOf {
  /** Start of the parent's first message; empty where its log is gone or cannot be read. */
  readonly title: string;
}

export async function parentageOf(store: SessionStore, parent: ChildOf | null): Promise<Parentage | null> {
  return parent === null ? null : { ...parent, title: await titleIn(store, parent.session_id) };
}

/** Of which session a fork was made, as it is shown; the title is empty in the same cases. */
export interface Origin {
  readonly session_id: string;
  readonly title: string;
}

export async function originOf(store: SessionStore, fork: ForkOf | null): Promise<Origin | null> {
  if (fork === null) return null;
  const { session_id } = fork;
  return { session_id, title: await titleIn(store, session_id) };
}

async function titleIn(store: SessionStore, id: string): Promise<string> {
  const stored = store.inspect(id);
  try {
    return (await stored.head()).title;
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    store.ports.warn(`the parent ${id} cannot be read: ${error.message}`);
    return '';
  } finally {
    await stored.close();
  }
}

/** What somebody who names a session finds under that name. */
export type NamedSession =
  | { readonly kind: 'child'; readonly title: string; readonly parent: ChildOf }
  /** A person began it; or it cannot be read now, of which whoever opens it is told. */
  | { readonly kind: 'session' }
  | { readonly kind: 'trash' }
  | { readonly kind: 'nowhere' };

export async function namedSession(
  storage: string,
  id: string,
  warn: (message: string) => void,
): Promise<NamedSession> {
  if (!isSessionId(id)) return { kind: 'nowhere' };
  const store = new SessionStore(nodeStorePorts(warn), storage);
  const stored = store.inspect(id);
  try {
    const where = await whereaboutsOf(store.ports.disk, storage, id);
    if (where !== 'in_place') return { kind: where };
    const { title, parent } = await stored.head();
    return parent === null ? { kind: 'session' } : { kind: 'child', title, parent };
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    warn(`${id} cannot be read: ${error.message}`);
    return { kind: 'session' };
  } finally {
    await stored.close();
  }
}
