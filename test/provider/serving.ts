import { afterEach } from 'vitest';
import {
  type ResponsesServer,
  type ResponsesServerOptions,
  startResponsesServer,
} from '../support/responses-server/server.ts';

const servers: ResponsesServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A scripted server that is closed after the test. */
export async function serve(options: ResponsesServerOptions): Promise<ResponsesServer> {
  const server = await startResponsesServer(options);
  servers.push(server);
  return server;
}
