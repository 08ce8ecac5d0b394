import type { ModelRequest, ProviderEvent } from '../runtime/ports.ts';
import { TransportFailed } from './failures.ts';
import { failureOf, foldedFrames } from './folded-frames.ts';
import { stringAt } from './json-values.ts';
import { type RequestBody, responseCreate } from './request-body.ts';
import type { Peer, Route, SessionConnection } from './session-connection.ts';
import { frameFailure, SocketRefused } from './socket-failures.ts';
import { KEEP_ALIVE } from './sse-frames.ts';

export interface SocketCall {
  readonly peer: Peer;
  readonly request: ModelRequest;
  readonly body: RequestBody;
  readonly connection: SessionConnection;
  readonly route: Extract<Route, { kind: 'socket' }>;
  readonly now: () => number;
  readonly maxFrame: number;
  readonly errorBodyMs: number;
}

const USED = { attempted: true, used: true, reset_reason: null } as const;

/** One request over the socket of its session, opened where there is none. An abort closes it at once. */
export async function* overSocket(
  call: SocketCall,
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const { connection, peer } = call;
  const request = { isOver: false };
  const heard = { isAccepted: false };
  // The end is dealt with before it is told: whoever hears of it reads no further, and aborts what is left.
  const over = (): void => {
    request.isOver = true;
    signal.removeEventListener('abort', stop);
  };
  const stop = (): void => {
    over();
    connection.stopped(peer, { heard: heard.isAccepted });
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { continuation } = call.route;
    yield { kind: 'sent', transport: 'websocket', continuation };
    for await (const event of answerTo(call, heard, signal)) {
      if (event.kind === 'completed' || event.kind === 'failed') over();
      yield event;
    }
  } finally {
    if (!request.isOver) stop();
  }
}

async function* answerTo(
  call: SocketCall,
  heard: { isAccepted: boolean },
  signal: AbortSignal,
): AsyncGenerator<ProviderEvent, void, undefined> {
  const { connection, peer, request } = call;
  const exchange = await begun(call, signal);
  if (exchange === null) return;
  if (exchange.kind === 'failed') return yield exchange;
  const { frames, continued } = exchange;
  const events = foldedFrames(checked(frames, heard, call.now), { signal });
  let isTold = !continued;
  let beforeOutput = true;
  for await (const event of events) {
    if (!isTold && heard.isAccepted) {
      isTold = true;
      yield { kind: 'sent', transport: 'websocket', continuation: USED };
    }
    if (event.kind === 'completed') {
      await frames.return();
      connection.completed(event, request, peer);
      yield event;
    } else if (event.kind === 'failed') {
      await frames.return();
      yield { ...event, failure: connection.failed(event.failure, { peer, beforeOutput, continued }) };
    } else {
      beforeOutput &&= event.kind === 'sent' || (event.kind === 'activity' && !event.output);
      yield event;
    }
  }
}

type Begun =
  | {
      readonly kind: 'begun';
      readonly frames: AsyncGenerator<unknown, void, undefined>;
      readonly continued: boolean;
    }
  | Extract<ProviderEvent, { kind: 'failed' }>;

/** Null when it was aborted meanwhile. */
async function begun(call: SocketCall, signal: AbortSignal): Promise<Begun | null> {
  const { connection, peer, body, maxFrame, errorBodyMs } = call;
  const { plan } = call.route;
  try {
    const socket = await connection.connect(peer, { maxFrame, errorBodyMs, signal });
    if (signal.aborted) return null;
    const continued = plan.kind === 'continue' ? plan : null;
    const frame = responseCreate(body, continued);
    return { kind: 'begun', frames: socket.exchange(JSON.stringify(frame)), continued: continued !== null };
  } catch (error) {
    if (signal.aborted) return null;
    const failure =
      error instanceof SocketRefused
        ? connection.refused(error, peer)
        : connection.failed(failureOf(error), { peer, beforeOutput: true, continued: false });
    return { kind: 'failed', failure };
  }
}

/** An error that has a status is what the same answer over HTTP would be. */
async function* checked(
  frames: AsyncIterable<unknown>,
  heard: { isAccepted: boolean },
  now: () => number,
): AsyncGenerator<unknown, void, undefined> {
  for await (const frame of frames) {
    const failure = frameFailure(frame, now());
    if (failure !== null) throw new TransportFailed(failure);
    const type = stringAt(frame, 'type');
    heard.isAccepted ||= type !== 'error' && type !== KEEP_ALIVE;
    yield frame;
  }
}
