import { DiskError } from '../storage/disk.ts';
import type { ChildOf } from '../storage/log-ends.ts';
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
  if (parent === null) return null;
  const stored = store.inspect(parent.session_id);
  try {
    return { ...parent, title: (await stored.head()).title };
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    store.ports.warn(`the parent ${parent.session_id} cannot be read: ${error.message}`);
    return { ...parent, title: '' };
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
