import { events, stream, wait, type Reply } from './responses-server/reply.ts';
import { responseEvents } from './responses-server/response-events.ts';
import type { ReceivedRequest } from './responses-server/server.ts';
import { responds } from './responses-server/whole-replies.ts';

const PIECES = 200;
const PIECE_MS = 50;
/** What a person says to have them all sent. */
export const SEND_ALL = 'Send them all';

/** A model that asks for many children in one response; each of them streams until it is released. */
export class ManyChildren {
  /** How many of them have begun to stream. */
  streaming = 0;
  /** All get their pieces at the same beats; the last one comes when they are released. */
  private readonly beats = Array.from({ length: PIECES }, () => Promise.withResolvers<void>());
  private beating: NodeJS.Timeout | undefined;

  constructor(private readonly count: number) {}

  readonly reply = ({ input }: ReceivedRequest, index: number): Reply => {
    const id = `r${index}`;
    const said = JSON.stringify(input);
    if (!said.includes(SEND_ALL)) return this.slowly(id);
    if (said.includes('function_call_output')) return responds({ id, text: 'I wait for all of them.' });
    const calls = Array.from({ length: this.count }, (_, n) => ({
      call_id: `call_${n}`,
      name: 'spawn_agent',
      args: { task: `Look at part ${n}`, agent: 'explorer' },
    }));
    return responds({ id, calls });
  };

  /** A piece for each of them, twenty times a second. */
  beat(): void {
    let next = 0;
    this.beating = setInterval(() => {
      if (next < PIECES - 1) this.beats[next]?.resolve();
      next += 1;
    }, PIECE_MS);
  }

  release(): void {
    clearInterval(this.beating);
    for (const { resolve } of this.beats) resolve();
  }

  private slowly(id: string): Reply {
    this.streaming += 1;
    const all = responseEvents({ id, text: this.beats.map((_, n) => `piece ${n} `) });
    const isPiece = ({ type }: (typeof all)[number]): boolean => type === 'response.output_text.delta';
    const pieces = all.filter(isPiece);
    const from = all.findIndex(isPiece);
    return stream([
      events(all.slice(0, from)),
      ...pieces.flatMap((piece, n) => [wait(this.beats[n]?.promise ?? Promise.resolve()), events([piece])]),
      events(all.slice(from + pieces.length)),
    ]);
  }
}
