import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  type ResponsesServer,
  type ResponsesServerOptions,
  startResponsesServer,
} from '../support/responses-server/server.ts';

/** A scripted server that is closed after the test. */
export async function serve(options: ResponsesServerOptions): Promise<ResponsesServer> {
  const server = await startResponsesServer(options);
  onTestFinished(() => server.close());
  return server;
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
