import { events, HANG, stream, wait, type Reply } from '../support/responses-server/reply.ts';
import {
  responseEvents,
  unfinishedEvents,
  type Answer,
} from '../support/responses-server/response-events.ts';
import type { Replier } from '../support/responses-server/server.ts';

/** Says this much and then nothing more, for ever. */
export function hangs(text: string): Reply {
  return stream([events(unfinishedEvents({ text })), HANG]);
}

/** An answer whose end the test releases; `arrived` resolves when its request is there. */
export interface HeldReply {
  readonly reply: Replier;
  readonly arrived: Promise<void>;
  release(): void;
}

export function held(answer: Answer): HeldReply {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const all = responseEvents(answer);
  return {
    reply: () => {
      arrived.resolve();
      return stream([events(all.slice(0, -1)), wait(released.promise), events(all.slice(-1))]);
    },
    arrived: arrived.promise,
    release: () => released.resolve(),
  };
}
