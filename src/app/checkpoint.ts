import type { KnownEvent } from '../runtime/events.ts';
import { SessionStore } from '../storage/session-store.ts';
import { nodeStorePorts } from './node-ports.ts';

/** The checkpoint that the log has at a seq, read without the rest; null where there is none. */
export async function checkpointAt(
  storage: string,
  sessionId: string,
  seq: number,
): Promise<KnownEvent<'history_compaction'> | null> {
  const store = new SessionStore(
    nodeStorePorts(() => undefined),
    storage,
  );
  const stored = store.inspect(sessionId);
  try {
    const { events } = await stored.windowAfter(seq - 1, (found) => found.length > 0);
    const found = events.find((event) => event.seq === seq);
    return found?.type === 'history_compaction' ? found : null;
  } finally {
    await stored.close();
  }
}
