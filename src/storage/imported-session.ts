import { toLine } from '../runtime/event-line.ts';
import type { LogEvent } from '../runtime/events.ts';
import { lineOf } from './bodies.ts';
import { createFile, DiskError, readWhole, removeQuietly, replaceFile } from './disk.ts';
import { importedId, isImported, sessionPaths, sessionsFolder } from './session-paths.ts';
import type { SessionStore } from './session-store.ts';

/** What is on record of an import, beside the log. */
export interface ImportRecord {
  readonly v: 1;
  readonly imported_at: string;
  /** By which version the bundle was made, and what was removed from it then. */
  readonly app_version: string;
  readonly removed: readonly string[];
}

/**
 * Writes the log of an imported session: bodies first, then what is known of the import, the log last and whole. Its id says
 * for ever that it is one, and was never given to another. `make` gets that id and gives the events.
 */
export async function writeImported(
  store: SessionStore,
  record: ImportRecord,
  make: (sessionId: string) => readonly LogEvent[],
): Promise<string> {
  const { disk, ids } = store.ports;
  const sessionId = importedId(ids.next('session'));
  const { log, imported } = sessionPaths(store.root, sessionId);
  let text = '';
  let next = 0;
  for (const event of make(sessionId)) {
    text += lost(event.seq - next);
    next = event.seq + 1;
    text += event.type === 'unknown' ? `${toLine(event)}\n` : await lineOf(event, store.blobs);
  }
  await disk.makeFolder(sessionsFolder(store.root));
  await createFile(disk, imported, Buffer.from(JSON.stringify(record), 'utf8'), { durable: true });
  try {
    await replaceFile(disk, log, Buffer.from(text, 'utf8'), { temporary: `${log}.tmp`, durable: true });
  } catch (error) {
    await removeQuietly(disk, imported);
    throw error;
  }
  return sessionId;
}

const MOST_LOST = 1000;

/**
 * A line for each that was not in the bundle: damage is then where it was, and what comes after it is not taken for damage, too.
 * Of a gap that no log has, nothing is made.
 */
function lost(lines: number): string {
  return lines <= MOST_LOST ? 'not in the bundle\n'.repeat(lines) : '';
}

/** Null where nothing that can be read is on record. That a session was imported does not hang on it. */
export async function readImported(store: SessionStore, sessionId: string): Promise<ImportRecord | null> {
  if (!isImported(sessionId)) return null;
  try {
    const bytes = await readWhole(store.ports.disk, sessionPaths(store.root, sessionId).imported);
    const value: unknown = bytes === null ? null : JSON.parse(Buffer.from(bytes).toString('utf8'));
    return isRecord(value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof DiskError) return null;
    throw error;
  }
}

function isRecord(value: unknown): value is ImportRecord {
  if (typeof value !== 'object' || value === null || !('v' in value) || value.v !== 1) return false;
  if (!('imported_at' in value && 'app_version' in value && 'removed' in value)) return false;
  const { imported_at, app_version, removed } = value;
  return (
    typeof imported_at === 'string' &&
    typeof app_version === 'string' &&
    Array.isArray(removed) &&
    removed.every((one) => typeof one === 'string')
  );
}
