import { checkEvent } from '../../runtime/event-line.ts';
import type { LogEvent } from '../../runtime/events.ts';
import type { Ids } from '../../runtime/ports.ts';
import { writeImported } from '../../storage/imported-session.ts';
import type { SessionStore } from '../../storage/session-store.ts';
import { ImageNames } from './image-names.ts';
import { readBundle, RefusedBundle, type ReadBundle } from './read-bundle.ts';

/** Takes a bundle in as a session that can only be read. Throws `RefusedBundle`, and then nothing was written. */
export async function importBundle(
  store: SessionStore,
  bytes: Uint8Array,
): Promise<{ readonly session_id: string; readonly bundle: ReadBundle }> {
  const { hasher, clock, ids } = store.ports;
  const bundle = readBundle(bytes, hasher);
  const { app_version, removed } = bundle.manifest;
  for (const body of bundle.blobs.values()) await store.blobs.put(body);
  const imported_at = new Date(clock.now()).toISOString();
  const record = { v: 1, imported_at, app_version, removed } as const;
  const session_id = await writeImported(store, record, (id) =>
    renamed(bundle.events, id, { ids, images: new ImageNames(bundle.events, bundle.blobs, hasher, id) }),
  );
  return { session_id, bundle };
}

/** Fields whose entries may be images. */
const IMAGES: ReadonlySet<string> = new Set(['attachments', 'images']);

/**
 * The events under ids of this storage, so that none of them can mean a session or an event that is there already. Buttons of
 * the log stay behind: nobody here has offered them.
 */
function renamed(
  events: readonly LogEvent[],
  sessionId: string,
  { ids, images }: { readonly ids: Ids; readonly images: ImageNames },
): readonly LogEvent[] {
  const sessions = new Map<string, string>(events.slice(0, 1).map((event) => [event.session_id, sessionId]));
  const own = new Map(events.map((event) => [event.id, ids.next('event')]));
  const sessionFor = (old: string): string => {
    const known = sessions.get(old) ?? ids.next('session');
    sessions.set(old, known);
    return known;
  };
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, field(name, one)]));
  };
  const field = (name: string, value: unknown): unknown => {
    if (name === 'next_actions' && Array.isArray(value)) return [];
    if (IMAGES.has(name) && Array.isArray(value)) return value.map(imageOf);
    if (typeof value !== 'string') return walk(value);
    if (name.endsWith('session_id')) return sessionFor(value);
    return name === 'target_id' ? (own.get(value) ?? value) : value;
  };
  const imageOf = (value: unknown): unknown => {
    const walked = walk(value);
    return typeof walked === 'object' && walked !== null ? images.of(walked) : walked;
  };
  return events.map((event, index) => {
    const { v, seq, ts } = event;
    const id = own.get(event.id) ?? ids.next('event');
    const envelope = { v, id, session_id: sessionId, seq, ts };
    const [type, data] =
      event.type === 'unknown'
        ? [event.data.original_type, event.data.original]
        : [event.type, withoutParent(event)];
    const read = checkEvent({ ...envelope, type, data: walk(data) });
    if (!read.ok) throw new RefusedBundle(index + 2, read.reason);
    return read.event;
  });
}

/** Whose child it was is elsewhere: here it stands by itself. */
function withoutParent(event: LogEvent): unknown {
  if (event.type !== 'session_started') return event.data;
  const { parent_session_id: _parent, ...data } = event.data;
  return data;
}
