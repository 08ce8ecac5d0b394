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
