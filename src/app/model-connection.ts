import type { SessionConnection } from '../provider/session-connection.ts';

/** The connection to the provider of the session that is open: made when a turn first needs it, closed with the session. */
export class ModelConnection {
  private current: Promise<SessionConnection> | null = null;

  get(): Promise<SessionConnection> {
    this.current ??= made();
    return this.current;
  }

  /** What is asked for from here on is another session's. */
  async leave(): Promise<void> {
    const left = this.current;
    this.current = null;
    (await left)?.close();
  }
}

async function made(): Promise<SessionConnection> {
  const { SessionConnection } = await import('../provider/session-connection.ts');
  return new SessionConnection();
}
