import type { Continuation } from '../runtime/context-events.ts';
import type { ModelRequest, ProviderEvent, ProviderFailure } from '../runtime/ports.ts';
import {
  type ContinuationPlan,
  continuationOf,
  type LastExchange,
  type ResetReason,
} from './continuation.ts';
import { modelFacts } from './model-facts.ts';
import { replayedOutput } from './replayed-output.ts';
import { ResponseSocket } from './response-socket.ts';
import { faultOf, refusesContinuation, type SocketRefused } from './socket-failures.ts';
import { openSocket } from './socket-handshake.ts';
import { NODE_TIMERS, type SocketTimers } from './socket-timers.ts';

/** Where a socket leads, and who opens it. */
export interface Peer {
  readonly url: string;
  readonly apiKey: string;
}

export type Route =
  | { readonly kind: 'sse'; readonly continuation: Continuation }
  | { readonly kind: 'socket'; readonly continuation: Continuation; readonly plan: ContinuationPlan };

type Completed = Extract<ProviderEvent, { kind: 'completed' }>;

/** Sockets that break so often in a row, before any output, are given up. */
const MAX_BREAKS = 2;
/** What no socket is used after. */
const ENDING: ReadonlySet<string> = new Set(['connection', 'stream_cut', 'malformed_stream', 'internal']);
/** What says that server-sent events are no better off just now. */
const DOWN: ReadonlySet<string> = new Set(['connection', 'tls', 'server_error', 'stream_cut']);

/**
 * What is remembered of the requests of one session while it is open: at most one socket, the response that the next
 * request can continue, and what the endpoint turned out not to have. Nothing of it is of the log, and nothing of it is
 * needed: without it, requests go out whole.
 */
export class SessionConnection {
  private socket: { readonly peer: Peer; readonly socket: ResponseSocket } | null = null;
  private last: LastExchange = { kind: 'none', reason: 'no_previous_response' };
  private isBusy = false;
  private isClosed = false;
  private breaks = 0;
  /** The last request over the socket that is open. */
  private hasFailed = false;
  /** Endpoints without a socket; `on_trial` until server-sent events have shown that it is not the network. */
  private readonly withoutSocket = new Map<string, 'on_trial' | 'settled'>();
  /** Endpoints with a socket that has carried a whole response. */
  private readonly answered = new Set<string>();
  private readonly withoutCacheOptions = new Set<string>();
  private lastResponse: { readonly peer: Peer; readonly id: string } | null = null;

  constructor(private readonly timers: SocketTimers = NODE_TIMERS) {}

  /** How a request of the conversation is to go out. One that is to go over the socket is under way from here on. */
  route(request: ModelRequest, peer: Peer): Route {
    if (this.withoutSocket.has(peer.url)) return { kind: 'sse', continuation: reset('fell_back_to_sse') };
    if (this.isBusy) return { kind: 'sse', continuation: reset('socket_busy') };
    if (this.isClosed) return { kind: 'sse', continuation: reset('new_connection') };
    this.isBusy = true;
    const connected = this.usable(peer) !== null;
    const plan = continuationOf(this.last, { request, endpoint: peer.url, connected });
    if (plan.kind === 'full') return { kind: 'socket', plan, continuation: reset(plan.reset_reason) };
    const continuation = { attempted: true, used: false, reset_reason: 'unanswered' satisfies ResetReason };
    return { kind: 'socket', plan, continuation };
  }

  /** The socket of the session, opened where there is none. Rejects with `SocketRefused`, or when aborted. */
  async connect(
    peer: Peer,
    options: { readonly maxFrame: number; readonly errorBodyMs: number; readonly signal: AbortSignal },
  ): Promise<ResponseSocket> {
    const usable = this.usable(peer);
    if (usable !== null) return usable;
    this.socket?.socket.leave();
    this.socket = null;
    this.hasFailed = false;
    const { signal, ...limits } = options;
    const opened = await openSocket({ ...peer, ...limits, timers: this.timers }, signal);
    const socket = new ResponseSocket(opened, this.timers);
    // Left or stopped meanwhile: by now another request may have its own.
    if (this.isClosed || signal.aborted) socket.cut();
    else this.socket = { peer, socket };
    return socket;
  }

  completed(event: Completed, request: ModelRequest, peer: Peer): void {
    this.isBusy = false;
    this.breaks = 0;
    this.hasFailed = false;
    this.answered.add(peer.url);
    this.noteResponse(event, peer);
    const { response_id, items, unknown_events } = event;
    const output = replayedOutput(items, unknown_events);
    this.last =
      response_id === null
        ? { kind: 'none', reason: 'no_previous_response' }
        : { kind: 'completed', exchange: { response_id, endpoint: peer.url, request, output } };
  }

  /** What became of a request over the socket that failed, with what is to be done about it. */
  failed(
    failure: ProviderFailure,
    how: { readonly peer: Peer; readonly beforeOutput: boolean; readonly continued: boolean },
  ): ProviderFailure {
    const { peer, beforeOutput, continued } = how;
    const notFound = beforeOutput && continued && refusesContinuation(failure);
    this.forget(notFound ? 'previous_response_not_found' : 'previous_response_failed');
    // Twice in a row, it may be the socket: one that believes to be answering still refuses whatever comes.
    if (ENDING.has(failure.kind) || this.hasFailed) this.cut();
    else this.hasFailed = !notFound;
    if (!beforeOutput) return failure;
    if (notFound) return { ...failure, again: 'full_input' };
    const fault = faultOf(failure, { answered: this.answered.has(peer.url) });
    if (fault === 'unusable') return this.fallBack(failure, peer, 'on_trial');
    this.breaks = fault === 'broken' ? this.breaks + 1 : 0;
    return this.breaks < MAX_BREAKS ? failure : this.fallBack(failure, peer, 'on_trial');
  }

  /** No socket came about. */
  refused({ refusal, failure }: SocketRefused, peer: Peer): ProviderFailure {
    this.isBusy = false;
    if (refusal === 'absent') return this.fallBack(failure, peer, 'settled');
    if (refusal === 'unreachable') return this.fallBack(failure, peer, 'on_trial');
    if (failure.kind !== 'server_error') return failure;
    this.breaks += 1;
    return this.breaks < MAX_BREAKS ? failure : this.fallBack(failure, peer, 'on_trial');
  }

  /**
   * A request over the socket was given up: stopped, or found silent. Who never says a word over a socket may have none;
   * where it was a person who did not wait, server-sent events are as good.
   */
  stopped({ url }: Peer, { heard }: { readonly heard: boolean }): void {
    this.forget('previous_response_failed');
    this.cut();
    if (heard || this.answered.has(url)) return;
    this.breaks += 1;
    if (this.breaks >= MAX_BREAKS) this.withoutSocket.set(url, 'on_trial');
  }

  /** The end of a request over server-sent events, which says whether the socket alone is the trouble. */
  endedOverSse(event: Extract<ProviderEvent, { kind: 'completed' | 'failed' }>, peer: Peer): void {
    if (event.kind === 'completed') this.noteResponse(event, peer);
    const { url } = peer;
    if (this.withoutSocket.get(url) !== 'on_trial') return;
    const isDown = event.kind === 'failed' && DOWN.has(event.failure.kind);
    if (isDown) this.withoutSocket.delete(url);
    else this.withoutSocket.set(url, 'settled');
  }

  /** The response whose prompt the next one is expected to extend, for an endpoint that can say why it did not. */
  comparison(request: ModelRequest, peer: Peer): string | null {
    const knows = modelFacts(request.model)?.prompt_cache_options === true;
    if (!knows || this.withoutCacheOptions.has(peer.url) || this.lastResponse === null) return null;
    // Another key may be another organisation's, which has no such response.
    return isSame(this.lastResponse.peer, peer) ? this.lastResponse.id : null;
  }

  cacheOptionsRefused({ url }: Peer): void {
    this.withoutCacheOptions.add(url);
  }

  /** The session is left. */
  close(): void {
    this.isClosed = true;
    if (this.isBusy) this.cut();
    else this.socket?.socket.leave();
    this.socket = null;
  }

  private usable(peer: Peer): ResponseSocket | null {
    if (this.socket === null) return null;
    return isSame(this.socket.peer, peer) && this.socket.socket.isUsable ? this.socket.socket : null;
  }

  private fallBack(failure: ProviderFailure, { url }: Peer, how: 'on_trial' | 'settled'): ProviderFailure {
    this.cut();
    this.breaks = 0;
    this.withoutSocket.set(url, how);
    return { ...failure, again: 'over_sse' };
  }

  private forget(reason: 'previous_response_failed' | 'previous_response_not_found'): void {
    this.isBusy = false;
    this.last = { kind: 'none', reason };
  }

  private cut(): void {
    this.socket?.socket.cut();
    this.socket = null;
    this.hasFailed = false;
  }

  private noteResponse({ response_id }: Completed, peer: Peer): void {
    if (response_id !== null) this.lastResponse = { peer, id: response_id };
  }
}

function isSame(one: Peer, other: Peer): boolean {
  return one.url === other.url && one.apiKey === other.apiKey;
}

/** Not found means that it was tried, by the request before this one. */
function reset(reset_reason: ResetReason): Continuation {
  return { attempted: reset_reason === 'previous_response_not_found', used: false, reset_reason };
}
