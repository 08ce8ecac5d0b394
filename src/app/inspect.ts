import type { LogEvent } from '../runtime/events.ts';
import { DiagnosisFold, type Diagnosis } from '../runtime/inspection/diagnosis.ts';
import { requestReport, type RequestReport } from '../runtime/inspection/request-report.ts';
import { ReplayFold } from '../runtime/replay/fold.ts';
import { leaseBinds, LeaseSight } from '../storage/lease-holder.ts';
import { SessionStore } from '../storage/session-store.ts';
import { effectOf } from '../tools/tool-effects.ts';
import { nodeStorePorts } from './node-ports.ts';

/** Looks at a session without opening it: takes no lease and changes nothing. */

export async function diagnoseSession(storage: string, sessionId: string): Promise<Diagnosis> {
  const store = new SessionStore(
    nodeStorePorts(() => undefined),
    storage,
  );
  const stored = store.inspect(sessionId);
  const diagnosis = new DiagnosisFold(sessionId);
  const replay = new ReplayFold();
  try {
    const { damage, end } = await stored.load({
      event: (event) => {
        diagnosis.push(event);
        replay.push(event);
      },
    });
    const lease = await store.ports.disk.stat(stored.paths.lease);
    const binds = await leaseBinds(
      store.ports,
      stored.paths.lease,
      new LeaseSight(),
      new AbortController().signal,
    );
    return diagnosis.finish({
      damage,
      torn_bytes: end.size - end.offset,
      lease: lease === null ? 'free' : binds ? 'held' : 'dead',
      input: replay.input({ model: '', endpoint: '' }),
      effectOf,
    });
  } finally {
    await stored.close();
  }
}

export async function inspectRequest(
  storage: string,
  sessionId: string,
  at: number | null,
): Promise<RequestReport> {
  const stored = new SessionStore(
    nodeStorePorts(() => undefined),
    storage,
  ).inspect(sessionId);
  const events: LogEvent[] = [];
  try {
    const { damage } = await stored.load({ event: (event) => events.push(event) });
    const lines = damage.map(({ line, reason }) => ({ line, reason }));
    return requestReport(sessionId, events, at, lines);
  } finally {
    await stored.close();
  }
}
