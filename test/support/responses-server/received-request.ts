import type http from 'node:http';
import { isList, isObject, type Refusal } from './refusals.ts';

/** One request for a response, over either transport. */
export interface ReceivedRequest {
  readonly transport: 'http' | 'websocket';
  /** Which socket it came over, counted from 0; null for HTTP. */
  readonly socket: number | null;
  /** Of a socket: those of the request that opened it. */
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  /** The body or the frame as it was sent, and as JSON (null when it is none). */
  readonly raw: string;
  readonly body: unknown;
  /** What the model reads: with all that a continuation leaves out. */
  readonly input: readonly unknown[];
  /** Why it was refused, if it was. */
  readonly refusal: Refusal | null;
  /** Resolves when the exchange is over: answered, or the client closed the connection. */
  readonly closed: Promise<'answered' | 'client_closed'>;
}

export function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * Reads bodies and frames so that what is the same in several of them is one value: a long session sends its items again
 * and again, and whoever looks at them need not do so again.
 */
export class BodyReader {
  private readonly parts = new Map<string, unknown>();

  /** Null when it is not JSON. */
  read(raw: string): unknown {
    const body = parsed(raw);
    if (!isObject(body)) return body;
    const lists = ['input', 'tools'].filter((name) => isList(body[name]));
    return { ...body, ...Object.fromEntries(lists.map((name) => [name, this.shared(listAt(body, name))])) };
  }

  private shared(list: readonly unknown[]): readonly unknown[] {
    return list.map((part) => {
      const text = JSON.stringify(part);
      const known = this.parts.get(text) ?? part;
      this.parts.set(text, known);
      return known;
    });
  }
}

export function modelOf(body: unknown): string {
  return textAt(body, 'model');
}

export function textAt(body: unknown, name: string): string {
  const found = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : null;
  return typeof found === 'string' ? found : '';
}

export function listAt(body: unknown, name: string): readonly unknown[] {
  const found = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : null;
  return Array.isArray(found) ? found : [];
}
