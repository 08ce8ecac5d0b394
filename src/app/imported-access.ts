import { readImported, type ImportRecord } from '../storage/imported-session.ts';
import type { Damage } from '../storage/log-scan.ts';
import { isImported } from '../storage/session-paths.ts';
import type { SessionStore } from '../storage/session-store.ts';
import type { ReadOnly } from './read-only-access.ts';

/** Somebody else's session, or one's own from elsewhere: it stays as it came. Null for all others. */
export async function importedAccess(
  store: SessionStore,
  id: string,
  damage: readonly Damage[],
): Promise<ReadOnly | null> {
  if (!isImported(id)) return null;
  const record = await readImported(store, id);
  return {
    kind: 'read_only',
    reason: 'imported',
    message: importedWords(record, damage[0]),
    next_actions: [
      { label: 'Fork this session', command: 'ledgerline.fork', args: [id] },
      { label: 'Diagnose', command: 'ledgerline.diagnose', args: [id] },
    ],
  };
}

function importedWords(record: ImportRecord | null, damage: Damage | undefined): string {
  if (damage !== undefined)
    return `This session was imported, and its log lacks something at line ${damage.line} (${damage.reason}). It can be read and forked, but nothing is written to it.`;
  return record?.removed.includes('contents') === true
    ? 'This session was imported from a bundle without its contents. It can be read and forked, but nothing is written to it.'
    : 'This session was imported from a bundle. It can be read and forked, but nothing is written to it.';
}
