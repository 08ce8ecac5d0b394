/** Where the files of a session are. */
export interface SessionPaths {
  readonly log: string;
  readonly lease: string;
  readonly stream: string;
  readonly mark: string;
}

export function sessionPaths(root: string, sessionId: string): SessionPaths {
  const base = `${sessionsFolder(root)}/${sessionId}`;
  return { log: `${base}.jsonl`, lease: `${base}.lease`, stream: `${base}.stream`, mark: `${base}.mark` };
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
