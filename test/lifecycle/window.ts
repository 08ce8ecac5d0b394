import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { afterEach, beforeEach } from 'vitest';
import type { EventType, KnownEvent, LogEvent } from '../../src/runtime/events.ts';
import { Window } from '../support/chat-window.ts';
import { makePlace, readEvents, type Place } from '../support/headless.ts';
import { apiError, type Reply } from '../support/responses-server/reply.ts';
import { type Answer } from '../support/responses-server/response-events.ts';
import {
  startResponsesServer,
  type ReceivedRequest,
  type Replier,
  type ResponsesServer,
} from '../support/responses-server/server.ts';
import { responds } from '../support/responses-server/whole-replies.ts';

export { asks, says, Window } from '../support/chat-window.ts';

/**
 * The real loop behind a window: real files, real commands, and a model that is a script behind a real HTTP
 * server on loopback. Only the window itself is missing: its messages go in and come out here.
 */
export interface Stage {
  readonly place: Place;
  readonly requests: readonly ReceivedRequest[];
  readonly sockets: ResponsesServer['sockets'];
  /** What the model says, one entry a request. */
  script(...replies: readonly (Reply | Replier | Answer)[]): Promise<void>;
  /**
   * Several sessions at once: what the model says in each, by the first words of the person or the task in it, one
   * entry a request.
   */
  cast(roles: Readonly<Record<string, readonly (Reply | Replier | Answer)[]>>): Promise<void>;
  /** Where the model is, for another process. */
  url(): string;
  /** Opens the session as a new process would, with the one before it closed or not. */
  open(
    settings?: Readonly<Record<string, unknown>>,
    session?: string,
    how?: { readonly trusted: boolean },
  ): Promise<Window>;
  write(path: string, content: string): Promise<void>;
  /** Null when there is no such file. */
  read(path: string): Promise<string | null>;
  events(session?: string): Promise<readonly LogEvent[]>;
  of<T extends EventType>(type: T): Promise<readonly KnownEvent<T>['data'][]>;
  /** The input of the nth request. */
  input(index: number): readonly Readonly<Record<string, unknown>>[];
  /** The output that the nth request has for a call. */
  output(index: number, callId: string): unknown;
}

export function stage(): Stage {
  let place: Awaited<ReturnType<typeof makePlace>>;
  let server: ResponsesServer | null = null;
  let windows: Window[] = [];
  beforeEach(async () => {
    place = await makePlace();
  });
  afterEach(async () => {
    await Promise.all(windows.map((window) => window.close()));
    windows = [];
    await server?.close();
    server = null;
    await place.remove();
  });
  const events = (session?: string): Promise<readonly LogEvent[]> => readEvents(place, session);
  const input: Stage['input'] = (index) => {
    const body = server?.requests[index]?.body as { input: readonly Record<string, unknown>[] } | undefined;
    return body?.input ?? [];
  };
  return {
    get place() {
      return place;
    },
    get requests() {
      return server?.requests ?? [];
    },
    get sockets() {
      return server?.sockets ?? [];
    },
    async script(...replies) {
      await server?.close();
      const script = replies.map((reply) =>
        typeof reply === 'function' || 'kind' in reply ? reply : responds(reply),
      );
      server = await startResponsesServer({ script });
    },
    async cast(roles) {
      await server?.close();
      const counts = new Map<string, number>();
      const handler: Replier = (request, index) => {
        const role = firstWords(request);
        const at = counts.get(role) ?? 0;
        counts.set(role, at + 1);
        const reply = roles[role]?.[at];
        if (reply === undefined)
          return apiError(400, { message: `No line ${at} for ${role}`, type: 'invalid_request_error' });
        if (typeof reply === 'function') return reply(request, index);
        return 'kind' in reply ? reply : responds({ id: `resp_${index}`, ...reply });
      };
      server = await startResponsesServer({ handler });
    },
    url: () => server?.url ?? '',
    async open(settings = {}, session = 's1', how = { trusted: true }) {
      const window = new Window(place, { baseUrl: server?.url ?? '', ...settings }, session, how);
      windows.push(window);
      await window.ready();
      return window;
    },
    async write(path, content) {
      await mkdir(dirname(join(place.workspace, path)), { recursive: true });
      await writeFile(join(place.workspace, path), content);
    },
    async read(path) {
      try {
        return await readFile(join(place.workspace, path), 'utf8');
      } catch {
        return null;
      }
    },
    events,
    async of(type) {
      const all = await events();
      return all.flatMap((event) => (event.type === type ? [event.data as never] : []));
    },
    input,
    output: (index, callId) =>
      input(index).find((item) => item['type'] === 'function_call_output' && item['call_id'] === callId)?.[
        'output'
      ],
  };
}

/** What a session was first asked. */
function firstWords({ input }: ReceivedRequest): string {
  for (const item of input as readonly Record<string, unknown>[]) {
    if (item['role'] !== 'user' || !Array.isArray(item['content'])) continue;
    const [part] = item['content'] as readonly { readonly text?: string }[];
    if (part?.text !== undefined && !part.text.startsWith('[Ledgerline ')) return part.text;
  }
  return '';
}
