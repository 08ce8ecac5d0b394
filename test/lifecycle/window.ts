import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { afterEach, beforeEach } from 'vitest';
import type { EventType, KnownEvent, LogEvent } from '../../src/runtime/events.ts';
import { Window } from '../support/chat-window.ts';
import { makePlace, readEvents, type Place } from '../support/headless.ts';
import { apiError } from '../support/responses-server/reply.ts';
import { type ReceivedRequest, type Replier } from '../support/responses-server/server.ts';
import type { ScriptedReply } from '../support/responses-server/scripted-server.ts';
import { serverFixture, type ServerFixture } from '../support/responses-server/server-fixture.ts';
import { responds } from '../support/responses-server/whole-replies.ts';

export { asks, says, Window } from '../support/chat-window.ts';

/**
 * The real loop behind a window: real files, real commands, and a model that is a script behind a real HTTP
 * server on loopback. Only the window itself is missing: its messages go in and come out here.
 */
export interface Stage extends ServerFixture {
  readonly place: Place;
  /**
   * Several sessions at once: what the model says in each, by the first words of the person or the task in it, one
   * entry a request.
   */
  cast(roles: Readonly<Record<string, readonly ScriptedReply[]>>): Promise<void>;
  /** Opens the session as a new process would, with the one before it closed or not. */
  open(
    settings?: Readonly<Record<string, unknown>>,
    session?: string,
    how?: { readonly trusted: boolean },
  ): Promise<Window>;
  /** A window in which a turn with these replies has come to where it rests. */
  turn(
    text: string,
    replies: readonly ScriptedReply[],
    settings?: Readonly<Record<string, unknown>>,
  ): Promise<Window>;
  write(path: string, content: string): Promise<void>;
  /** Null when there is no such file. */
  read(path: string): Promise<string | null>;
  events(session?: string): Promise<readonly LogEvent[]>;
  of<T extends EventType>(type: T): Promise<readonly KnownEvent<T>['data'][]>;
  /** The one event of its type; it is a mistake that there is none, or another. */
  only<T extends EventType>(type: T): Promise<KnownEvent<T>['data']>;
}

export function stage(): Stage {
  const model = serverFixture();
  let place: Awaited<ReturnType<typeof makePlace>>;
  let windows: Window[] = [];
  beforeEach(async () => {
    place = await makePlace();
  });
  afterEach(async () => {
    await Promise.all(windows.map((window) => window.close()));
    windows = [];
    await place.remove();
  });
  const events = (session?: string): Promise<readonly LogEvent[]> => readEvents(place, session);
  const on: Omit<Stage, keyof ServerFixture> = {
    get place() {
      return place;
    },
    async cast(roles) {
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
      await model.start({ handler });
    },
    async open(settings = {}, session = 's1', how = { trusted: true }) {
      const window = new Window(place, { baseUrl: model.url, ...settings }, session, how);
      windows.push(window);
      await window.ready();
      return window;
    },
    async turn(text, replies, settings) {
      await model.script(...replies);
      const window = await on.open(settings);
      await window.turn(text);
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
    async only(type) {
      const [found, ...others] = await on.of(type);
      if (found === undefined || others.length > 0) throw new Error(`not one ${type}`);
      return found;
    },
  };
  return withGetters(model, on);
}

/** Both in one, with the getters of each. */
function withGetters<A extends object, B extends object>(one: A, other: B): A & B {
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(one), ...Object.getOwnPropertyDescriptors(other) },
  ) as A & B;
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
