import { AppendFailed } from '../runtime/ports.ts';
import { DiskError } from '../storage/disk.ts';

export interface Explained {
  readonly kind: string;
  /** For people: what happened, what is safe, what to do. */
  readonly text: string;
  /** For the log of the extension. */
  readonly log: string;
}

/** What to tell of a message that could not be carried out. */
export function explained(error: unknown): Explained {
  const what = error instanceof Error ? error.message : String(error);
  const log = error instanceof Error ? (error.stack ?? what) : what;
  if (error instanceof AppendFailed) return { kind: error.kind, text: what, log };
  if (error instanceof DiskError) {
    const text = `The files of the session cannot be used (${what}). Nothing was changed. Check the storage folder, its permissions and its free space, then try again.`;
    return { kind: `storage_${error.kind}`, text, log };
  }
  const text = `Ledgerline failed here: ${what}. The log up to here is safe; the output channel has the details.`;
  return { kind: 'internal', text, log };
}
