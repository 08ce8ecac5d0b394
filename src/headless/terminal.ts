import type { Readable, Writable } from 'node:stream';

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** What a program is started with. */
export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** Without a listener a signal ends the program at once. */
  readonly onSignal: (signal: Signal, listener: () => void) => void;
}
