import { afterEach, beforeEach } from 'vitest';
import { makePlace, type Message, type Place } from '../support/headless.ts';
import { type Reply } from '../support/responses-server/reply.ts';
import {
  startResponsesServer,
  type Replier,
  type ResponsesServer,
  type ResponsesServerOptions,
} from '../support/responses-server/server.ts';
import { responds } from '../support/responses-server/whole-replies.ts';

/** A folder of its own and a scripted server for each test of a file. */
export interface Served {
  readonly place: Place;
  readonly server: ResponsesServer | null;
  /** Starts the server and answers with its address. */
  serve(script: readonly (Reply | Replier)[], how?: Omit<ResponsesServerOptions, 'script'>): Promise<string>;
  /** The input of the nth request. */
  sent(index: number): readonly Record<string, unknown>[];
}

export function served(): Served {
  let place: Awaited<ReturnType<typeof makePlace>>;
  let server: ResponsesServer | null = null;
  beforeEach(async () => {
    place = await makePlace();
  });
  afterEach(async () => {
    await server?.close();
    server = null;
    await place.remove();
  });
  return {
    get place() {
      return place;
    },
    get server() {
      return server;
    },
    async serve(script, how = {}) {
      await server?.close();
      server = await startResponsesServer({ script, ...how });
      return server.url;
    },
    sent(index) {
      const body = server?.requests[index]?.body as { input: readonly Record<string, unknown>[] } | undefined;
      return body?.input ?? [];
    },
  };
}

export function says(text: string): Reply {
  return responds({ text });
}

export function isState(state: string): (message: Message) => boolean {
  return (message) => message.type === 'turn_state' && message['state'] === state;
}
