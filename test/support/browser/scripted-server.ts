import { afterAll, beforeAll } from 'vitest';
import { type Reply, streamOf } from '../responses-server/reply.ts';
import { type Answer, responseEvents } from '../responses-server/response-events.ts';
import { type ResponsesServer, startResponsesServer } from '../responses-server/server.ts';

/** A provider on this machine that answers with what a test has put into its replies, one after the other. */
export interface ScriptedServer {
  /** Those that lead to it. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly requests: ResponsesServer['requests'];
  readonly replies: Reply[];
  readonly says: (answer: Answer) => void;
  readonly lastRequest: () => string;
}

/** Call once in a test file, before the window: what is opened last is closed first. */
export function scriptedServer(otherwise = 'Nothing was scripted.'): ScriptedServer {
  let server: ResponsesServer | undefined;
  const replies: Reply[] = [];
  const started = (): ResponsesServer => {
    if (server === undefined) throw new Error('the server starts before the tests');
    return server;
  };
  beforeAll(async () => {
    server = await startResponsesServer({
      handler: () => replies.shift() ?? streamOf(responseEvents({ text: otherwise })),
    });
  });
  afterAll(async () => {
    await server?.close();
  });
  return {
    get settings() {
      return { 'ledgerline.baseUrl': started().url, 'ledgerline.transport': 'sse' };
    },
    get requests() {
      return started().requests;
    },
    replies,
    says: (answer) => void replies.push(streamOf(responseEvents(answer))),
    lastRequest: () => started().requests.at(-1)?.raw ?? '',
  };
}
