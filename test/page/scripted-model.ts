import { afterAll, beforeAll } from 'vitest';
import type { Values } from './bridge/vscode-api.ts';
import { type Reply, streamOf } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import {
  type ReceivedRequest,
  type ResponsesServer,
  startResponsesServer,
} from '../support/responses-server/server.ts';

/** A model on this machine that answers what it was told to, in that order. */
export interface ScriptedModel {
  /** What it answers next. */
  readonly replies: Reply[];
  /** Of a window that asks it. */
  readonly settings: Values;
  readonly requests: readonly ReceivedRequest[];
}

/** Call once in a test file, before what opens the window. */
export function scriptedModel(): ScriptedModel {
  const replies: Reply[] = [];
  let server: ResponsesServer | undefined;
  const started = (): ResponsesServer => {
    if (server === undefined) throw new Error('the model has not started');
    return server;
  };
  beforeAll(async () => {
    server = await startResponsesServer({ handler: () => replies.shift() ?? nothing() });
  });
  afterAll(() => server?.close());
  return {
    replies,
    get settings() {
      return { 'ledgerline.baseUrl': started().url, 'ledgerline.transport': 'sse' };
    },
    get requests() {
      return started().requests;
    },
  };
}

function nothing(): Reply {
  return streamOf(responseEvents({ text: 'Nothing was scripted.' }));
}
