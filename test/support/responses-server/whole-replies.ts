import { CUT, events, HANG, stream, streamOf, type Reply } from './reply.ts';
import {
  failedEvents,
  incompleteEvents,
  responseEvents,
  unfinishedEvents,
  type Answer,
} from './response-events.ts';

/** A whole response. */
export function responds(answer: Answer): Reply {
  return streamOf(responseEvents(answer));
}

/** Says this much and then nothing more, for ever. */
export function hangs(text: string): Reply {
  return stream([events(unfinishedEvents({ text })), HANG]);
}

/** Says this much, and the connection is gone. */
export function breaksOff(text: string): Reply {
  return stream([events(unfinishedEvents({ text })), CUT]);
}

/** A response that the API reports as failed. */
export function failsWith(code: string, message: string): Reply {
  return streamOf(failedEvents({}, { code, message }));
}

/** A response that ends before it is whole, for this reason. */
export function endsEarly(answer: Answer, reason: string): Reply {
  return streamOf(incompleteEvents(answer, reason));
}
