import type { NextAction } from '../runtime/events.ts';
import { AppendFailed, type AppendFailureKind } from '../runtime/ports.ts';
import { DiskError } from '../storage/disk.ts';

export interface Explained {
  readonly kind: string;
  /** For people: what happened, what is safe, what to do. */
  readonly text: string;
  readonly next_actions: readonly NextAction[];
  /** For the log of the extension. */
  readonly log: string;
}

/** What to tell of a message that could not be carried out. */
export function explained(error: unknown): Explained {
  const what = error instanceof Error ? error.message : String(error);
  const log = error instanceof Error ? (error.stack ?? what) : what;
  if (error instanceof AppendFailed) return { kind: error.kind, ...appendFault(error.kind), log };
  if (error instanceof DiskError)
    return { kind: `storage_${error.kind}`, text: FILES, next_actions: [], log };
  const text = `Ledgerline failed here: ${what}. The log up to here is safe; the output channel has the details.`;
  return { kind: 'internal', text, next_actions: [], log };
}

const FILES =
  'The files of the session cannot be used. Nothing was changed. Check the storage folder, its permissions and its free space, then try again.';

/** What to do when the log takes nothing more. The error itself, with its path, is for the output channel. */
const APPEND_FAULTS = {
  disk_full: 'The disk is full. Free some space, then open the session again.',
  write_failed:
    'The log of this session cannot be written. Check that its folder is there and may be written to, then open the session again.',
  sync_failed:
    'The disk did not confirm that the log was saved. Check the disk, then open the session again.',
  lease_lost: 'Another window has taken this session over.',
  log_conflict:
    'Something else changed or removed the log of this session. Open the session again to see what is there.',
  closed: 'The session is closed.',
} as const satisfies Record<AppendFailureKind, string>;

/** The same words for whoever waits for an answer and for everyone else: said twice, they are shown once. */
export function appendFault(kind: AppendFailureKind): Pick<Explained, 'text' | 'next_actions'> {
  return {
    text: `${APPEND_FAULTS[kind]} Nothing after the last event shown was recorded; what was running is ended.`,
    next_actions: [
      { label: 'Open again', command: 'ledgerline.reopenSession' },
      { label: 'Show output', command: 'ledgerline.showOutput' },
    ],
  };
}
