import type { Socket } from 'node:net';
import type { ResponsesWS } from 'openai/resources/responses/ws';
import type { ProviderFailure } from '../runtime/ports.ts';
import { TransportFailed } from './failures.ts';
import { stringAt } from './json-values.ts';
import { closeFailure, malformedFrame, socketFailure } from './socket-failures.ts';
import type { OpenedSocket } from './socket-handshake.ts';
import type { SocketTimers } from './socket-timers.ts';
import { SocketUpkeep } from './socket-upkeep.ts';
import { KEEP_ALIVE } from './sse-frames.ts';

/** More frames than that are left with the server until these have been read. */
const MAX_WAITING = 256;
/** How long an answer to a farewell is waited for. */
const FAREWELL_MS = 2_000;
const OPEN = 1;

/** One open socket: carries one exchange at a time, any number of them one after the other. */
export class ResponseSocket {
  private readonly sdk: ResponsesWS;
  private readonly link: Socket | null;
  private readonly upkeep: SocketUpkeep;
  private current: Inbox | null = null;
  /** Its answers begin with `response.created`: what comes before is late, and of the answer before. */
  private isAnnouncing = false;
  private isLeft = false;

  constructor(
    { sdk, link }: OpenedSocket,
    private readonly timers: SocketTimers,
  ) {
    this.sdk = sdk;
    this.link = link;
    this.upkeep = new SocketUpkeep(timers, {
      ping: () => this.ping(),
      isPaused: () => this.platform.isPaused,
      lost: () => this.lose({ kind: 'connection', message: 'The server no longer answers on the socket.' }),
      unused: () => this.leave(),
    });
    sdk.on('event', (frame) => this.heard(frame));
    sdk.on('raw', () => this.lose(malformedFrame('a frame is not JSON')));
    sdk.on('error', ({ error, cause }) => {
      // One that the API told has come as a frame already.
      if (error !== undefined) return;
      const isAnswering = this.current?.isAnswering ?? false;
      const failure =
        cause instanceof Error
          ? socketFailure(cause, isAnswering)
          : malformedFrame('a frame is not an event with a type');
      this.lose(failure);
    });
    sdk.on('close', (code, reason) => {
      this.lose(closeFailure(code, reason, this.current?.isAnswering ?? false));
    });
    for (const sign of ['message', 'ping', 'pong'] as const)
      this.platform.on(sign, () => this.upkeep.heard());
    this.platform.on('ping', () => this.current?.push({ type: KEEP_ALIVE }));
    this.rest();
  }

  /** Whether another exchange can begin on it. */
  get isUsable(): boolean {
    return !this.isLeft && this.platform.readyState === OPEN && !this.upkeep.isAged;
  }

  /** Sends a frame. What comes back, until the reader has enough; throws `TransportFailed` when no more can come. */
  async *exchange(frame: string): AsyncGenerator<unknown, void, undefined> {
    const inbox = new Inbox(this.platform);
    this.current = inbox;
    this.upkeep.used();
    this.link?.ref();
    try {
      if (!this.isUsable) throw new TransportFailed(closeFailure(1006, '', false));
      this.sdk.sendRaw(frame);
      if (this.platform.isPaused) this.platform.resume();
      for (;;) yield await inbox.take();
    } finally {
      this.current = null;
      // What came after the end may have filled the inbox; nobody empties it now.
      if (this.platform.isPaused) this.platform.resume();
      this.rest();
    }
  }

  /** At once: nothing more is read. */
  cut(): void {
    this.isLeft = true;
    this.upkeep.stop();
    this.current?.fail({ kind: 'connection', message: 'The socket was closed.' });
    this.platform.terminate();
  }

  /** With a farewell. */
  leave(): void {
    if (this.isLeft) return;
    this.isLeft = true;
    this.upkeep.stop();
    this.sdk.close({ code: 1000, reason: 'done' });
    const tooLate = this.timers.after(FAREWELL_MS, () => this.platform.terminate());
    this.platform.once('close', tooLate);
  }

  private get platform(): ResponsesWS['socket']['platformSocket'] {
    return this.sdk.socket.platformSocket;
  }

  private heard(frame: unknown): void {
    const type = stringAt(frame, 'type');
    const { current } = this;
    if (current === null) {
      // An error that nobody asked for is about the socket. Anything else is late, and of no use.
      if (type === 'error') this.leave();
      return;
    }
    this.isAnnouncing ||= type === 'response.created';
    const isFirst = type === 'response.created' || type === 'response.failed' || type === 'error';
    if (current.isAnswering || isFirst || !this.isAnnouncing) current.push(frame);
  }

  private lose(failure: ProviderFailure): void {
    this.current?.fail(failure);
    this.cut();
  }

  private ping(): void {
    if (this.platform.readyState === OPEN) this.platform.ping();
  }

  /** Nobody waits for it: no program stays for its sake. */
  private rest(): void {
    if (this.isLeft) return;
    this.upkeep.idle();
    this.link?.unref();
  }
}

/** What has come and has not been read. */
class Inbox {
  private readonly waiting: unknown[] = [];
  private reader: { resolve(frame: unknown): void; reject(error: Error): void } | null = null;
  private failure: ProviderFailure | null = null;
  isAnswering = false;

  constructor(private readonly source: { readonly isPaused: boolean; pause(): void; resume(): void }) {}

  push(frame: unknown): void {
    if (this.failure !== null) return;
    this.isAnswering ||= stringAt(frame, 'type') !== KEEP_ALIVE;
    const { reader } = this;
    this.reader = null;
    if (reader !== null) return reader.resolve(frame);
    this.waiting.push(frame);
    if (this.waiting.length === MAX_WAITING) this.source.pause();
  }

  /** What came before is read first. */
  fail(failure: ProviderFailure): void {
    this.failure ??= failure;
    this.reader?.reject(new TransportFailed(this.failure));
    this.reader = null;
  }

  take(): Promise<unknown> {
    if (this.waiting.length > 0) {
      const frame = this.waiting.shift();
      if (this.waiting.length === 0 && this.source.isPaused) this.source.resume();
      return Promise.resolve(frame);
    }
    if (this.failure !== null) return Promise.reject(new TransportFailed(this.failure));
    return new Promise((resolve, reject) => {
      this.reader = { resolve, reject };
    });
  }
}
