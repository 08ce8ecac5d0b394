import { afterEach } from 'vitest';
import { scriptedServer, type ScriptedReply } from './scripted-server.ts';
import { startResponsesServer, type ReceivedRequest, type ResponsesServer } from './server.ts';

type Item = Readonly<Record<string, unknown>>;

/** A model behind a real server on loopback, for each test of a file. It is gone after the test. */
export interface ServerFixture {
  readonly requests: readonly ReceivedRequest[];
  readonly sockets: ResponsesServer['sockets'];
  /** Nothing before the first start. */
  readonly url: string;
  /** What the model says, one entry a request. */
  script(...replies: readonly ScriptedReply[]): Promise<void>;
  start(options: Parameters<typeof startResponsesServer>[0]): Promise<void>;
  /** The input of the nth request. */
  input(index: number): readonly Item[];
  /** The output that the nth request has for a call. */
  output(index: number, callId: string): unknown;
}

export function serverFixture(): ServerFixture {
  let server: ResponsesServer | null = null;
  afterEach(async () => {
    await server?.close();
    server = null;
  });
  const input: ServerFixture['input'] = (index) => {
    const body = server?.requests[index]?.body as { input: readonly Item[] } | undefined;
    return body?.input ?? [];
  };
  return {
    get requests() {
      return server?.requests ?? [];
    },
    get sockets() {
      return server?.sockets ?? [];
    },
    get url() {
      return server?.url ?? '';
    },
    async script(...replies) {
      await server?.close();
      server = await scriptedServer(replies);
    },
    async start(options) {
      await server?.close();
      server = await startResponsesServer(options);
    },
    input,
    output: (index, callId) =>
      input(index).find((item) => item['type'] === 'function_call_output' && item['call_id'] === callId)?.[
        'output'
      ],
  };
}
