import type { LogEvent } from '../runtime/events.ts';
import { transcriptOf } from '../presenter/transcript/transcript.ts';
import type { Transcript } from '../presenter/transcript/transcript-nodes.ts';
import type { SessionStore } from '../storage/session-store.ts';

/** A log over this is read by other means: its document would be nobody's to open. */
const LARGEST_LOG = 256 * 1024 * 1024;

export type ReadTranscript =
  | { readonly kind: 'read'; readonly transcript: Transcript }
  | { readonly kind: 'too_large'; readonly bytes: number };

/** All of a session that can be read, and what cannot. Takes no lease and changes nothing. */
export async function readTranscript(
  store: SessionStore,
  of: { readonly session_id: string; readonly title: string },
): Promise<ReadTranscript> {
  const stored = store.inspect(of.session_id);
  try {
    const bytes = await stored.size();
    if (bytes > LARGEST_LOG) return { kind: 'too_large', bytes };
    const events: LogEvent[] = [];
    const { damage, end } = await stored.load({ event: (event) => events.push(event) });
    const exported_at = new Date(store.ports.clock.now()).toISOString();
    const torn_bytes = end.size - end.offset;
    return { kind: 'read', transcript: transcriptOf({ ...of, events, damage, torn_bytes, exported_at }) };
  } finally {
    await stored.close();
  }
}
