/** Where the files of a session are. */
export interface SessionPaths {
  readonly log: string;
  readonly lease: string;
  readonly stream: string;
  readonly mark: string;
  /** Of a session that was imported: what is on record of that. */
  readonly imported: string;
}

export function sessionPaths(root: string, sessionId: string): SessionPaths {
  const base = `${sessionsFolder(root)}/${sessionId}`;
  return {
    log: `${base}.jsonl`,
    lease: `${base}.lease`,
    stream: `${base}.stream`,
    mark: `${base}.mark`,
    imported: `${base}.imported.json`,
  };
}

export function sessionsFolder(root: string): string {
  return `${root}/sessions`;
}

/** Names that mean a device on Windows, whatever follows them. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/** An id becomes a file name: nothing that could leave the folder or mean something else on some disk. */
export function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(id) && !DEVICES.test(id);
}

const IMPORTED = 'imported-';

/** The id of an imported session says that it is one: nothing beside the log has to be there, or could be lost, for that. */
export function importedId(fresh: string): string {
  return `${IMPORTED}${fresh}`;
}

/** Never written to: not by a turn, not by recovery, not by whoever takes over. Some disks take either case for the same. */
export function isImported(sessionId: string): boolean {
  return sessionId.toLowerCase().startsWith(IMPORTED);
}
