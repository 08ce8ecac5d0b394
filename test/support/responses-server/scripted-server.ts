import type { Reply } from './reply.ts';
import type { Answer } from './response-events.ts';
import { startResponsesServer, type Replier, type ResponsesServer } from './server.ts';
import { responds } from './whole-replies.ts';

export type ScriptedReply = Reply | Replier | Answer;

/** A server that says these, one a request. */
export function scriptedServer(replies: readonly ScriptedReply[]): Promise<ResponsesServer> {
  const script = replies.map((reply) =>
    typeof reply === 'function' || 'kind' in reply ? reply : responds(reply),
  );
  return startResponsesServer({ script });
}
