import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { afterEach, beforeEach } from 'vitest';
import { Conversation } from '../../src/app/conversation.ts';
import { parseSettings } from '../../src/app/settings.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import type { EventType, KnownEvent, LogEvent } from '../../src/runtime/events.ts';
import { makePlace, readEvents, type Place } from '../support/headless.ts';
import { streamOf, type Reply } from '../support/responses-server/reply.ts';
import { responseEvents, type Answer } from '../support/responses-server/response-events.ts';
import {
  startResponsesServer,
  type ReceivedRequest,
  type Replier,
  type ResponsesServer,
} from '../support/responses-server/server.ts';

/**
 * The real loop behind a window: real files, real commands, and a model that is a script behind a real HTTP
 * server on loopback. Only the window itself is missing: its messages go in and come out here.
 */
export interface Stage {
  readonly place: Place;
  readonly requests: readonly ReceivedRequest[];
  /** What the model says, one entry a request. */
  script(...replies: readonly (Reply | Replier | Answer)[]): Promise<void>;
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
    async script(...replies) {
      await server?.close();
      const script = replies.map((reply) =>
        typeof reply === 'function' || 'kind' in reply ? reply : streamOf(responseEvents(reply)),
      );
      server = await startResponsesServer({ script });
    },
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

type Fits = (message: HostMessage) => boolean;

export class Window {
  readonly messages: HostMessage[] = [];
  readonly conversation: Conversation;
  private waiting: { readonly fits: Fits; readonly resolve: (message: HostMessage) => void }[] = [];
  private sent = 0;
  private decided = 0;

  constructor(
    place: Place,
    settings: Readonly<Record<string, unknown>>,
    session: string,
    { trusted }: { readonly trusted: boolean },
  ) {
    const parsed = parseSettings({ model: 'gpt-test', ...settings });
    if (!parsed.ok) throw new Error(parsed.problems.join('; '));
    this.conversation = new Conversation({
      storage: place.storage,
      session_id: session,
      roots: [{ name: 'workspace', path: place.workspace }],
      settings: () => parsed.settings,
      api_key: async () => 'sk-test',
      trusted: () => trusted,
      app_version: '0.0.0',
      app_root: null,
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
      emit: (message) => this.heard(message),
    });
  }

  async ready(): Promise<void> {
    await this.conversation.receive({ type: 'ready' });
  }

  receive(message: object): Promise<void> {
    return this.conversation.receive(message);
  }

  /** Resolves when the prompt is on record. */
  send(text: string, client_turn_id = `client_${(this.sent += 1)}`): Promise<void> {
    return this.conversation.receive({ type: 'send', client_turn_id, text });
  }

  /** A turn from its prompt to where it rests. */
  async turn(text: string, client_turn_id?: string): Promise<string | null> {
    await this.send(text, client_turn_id);
    return this.rests();
  }

  /** Where the last turn is once nothing is under way. */
  async rests(): Promise<string | null> {
    await this.conversation.settled();
    return this.state;
  }

  /** Resolves when the decision has been taken in or refused, not when what it starts has ended. */
  decide(target_id: string, action: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const decision_id = `decision_${(this.decided += 1)}_${Math.random()}`;
    return this.conversation.receive({ type: 'decide', target_id, decision_id, action, ...more });
  }

  stop(): Promise<void> {
    return this.conversation.receive({ type: 'stop' });
  }

  get state(): string | null {
    const last = this.messages.findLast((message) => message.type === 'turn_state');
    return last?.type === 'turn_state' ? last.state : null;
  }

  get failures(): readonly Extract<HostMessage, { type: 'failure' }>[] {
    return this.messages.flatMap((message) => (message.type === 'failure' ? [message] : []));
  }

  /** The first message that fits, past or future. */
  until(fits: Fits): Promise<HostMessage> {
    const known = this.messages.find(fits);
    return known === undefined
      ? new Promise((resolve) => this.waiting.push({ fits, resolve }))
      : Promise.resolve(known);
  }

  call(call_id: string, state: string): Promise<HostMessage> {
    return this.until(
      (message) => message.type === 'tool_state' && message.call_id === call_id && message.state === state,
    );
  }

  async close(): Promise<void> {
    await this.conversation.dispose();
  }

  private heard(message: HostMessage): void {
    this.messages.push(message);
    const fitting = this.waiting.filter(({ fits }) => fits(message));
    this.waiting = this.waiting.filter((one) => !fitting.includes(one));
    for (const { resolve } of fitting) resolve(message);
  }
}

/** A response that asks for calls. */
export function asks(...calls: readonly (readonly [call_id: string, name: string, args: object])[]): Answer {
  return { calls: calls.map(([call_id, name, args]) => ({ call_id, name, args })) };
}

export function says(text: string): Answer {
  return { text };
}
