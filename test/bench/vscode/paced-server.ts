import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { responseEvents, type ResponseEvent } from '../../support/responses-server/response-events.ts';
import { encodeEvents } from '../../support/responses-server/sse-encoding.ts';

/** So many deltas, so many a second: faster than any model speaks today. */
export const DELTAS = 5000;
const PER_SECOND = 1000;
/** The first delta is by itself for so long, so that its way is measured without the crowd. */
const ALONE_MS = 400;

/** One answer, held back until it is released. */
export interface PacedAnswer {
  /** The words that the answer begins and ends with, and that occur nowhere else. */
  readonly first: string;
  readonly last: string;
  release(): Promise<Sent>;
}

/** When its first delta and its last byte left (milliseconds since 1970). */
export interface Sent {
  readonly first_at: number;
  readonly last_at: number;
}

export interface PacedServer {
  readonly url: string;
  /** The next request, as soon as it has arrived. */
  next(): Promise<PacedAnswer>;
  close(): Promise<void>;
}

export async function startPacedServer(deltas = DELTAS): Promise<PacedServer> {
  const arrived: PacedAnswer[] = [];
  const waiting: ((answer: PacedAnswer) => void)[] = [];
  let count = 0;
  const server = http.createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      count += 1;
      const answer = pacedAnswer(response, count, deltas);
      const taker = waiting.shift();
      if (taker === undefined) arrived.push(answer);
      else taker(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    next: async () => arrived.shift() ?? new Promise((resolve) => waiting.push(resolve)),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function pacedAnswer(response: http.ServerResponse, run: number, deltas: number): PacedAnswer {
  const first = `Begin-${run}`;
  const last = `End-${run}.`;
  const all = responseEvents({ text: words({ first, last, deltas }) });
  const start = all.findIndex(isDelta);
  const end = all.findLastIndex(isDelta) + 1;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.socket?.setNoDelay(true);
  response.write(encodeEvents(all.slice(0, start)));
  return {
    first,
    last,
    release: async () => {
      const first_at = Date.now();
      response.write(encodeEvents(all.slice(start, start + 1)));
      await delay(ALONE_MS);
      await paced(response, all.slice(start + 1, end));
      const last_at = Date.now();
      response.end(encodeEvents(all.slice(end)));
      return { first_at, last_at };
    },
  };
}

async function paced(response: http.ServerResponse, events: readonly ResponseEvent[]): Promise<void> {
  const began = performance.now();
  let sent = 0;
  while (sent < events.length) {
    const due = Math.min(events.length, Math.ceil(((performance.now() - began) * PER_SECOND) / 1000));
    if (due > sent) response.write(encodeEvents(events.slice(sent, due)));
    sent = due;
    await delay(1);
  }
}

const WORDS =
  'the log is what the program knows and all that it does is recorded there before it is done'.split(' ');

/** A whole file of code, in the middle of the answer. */
const LONG_CODE = { from: 3000, to: 4000 };

/** Prose in paragraphs with a block of code now and then, as models write. */
function words(options: {
  readonly first: string;
  readonly last: string;
  readonly deltas: number;
}): readonly string[] {
  return Array.from({ length: options.deltas }, (_, n) => {
    if (n === 0) return `${options.first} `;
    if (n === options.deltas - 1) return options.last;
    const word = WORDS[n % WORDS.length] ?? '';
    if (n === LONG_CODE.from) return `${word}:\n\n\`\`\`ts\n`;
    if (n === LONG_CODE.to) return '\n```\n\n';
    if (n > LONG_CODE.from && n < LONG_CODE.to) return n % 8 === 0 ? `"${word}");\n` : `${word}(`;
    if (n % 400 === 340) return `${word}:\n\n\`\`\`ts\n`;
    if (n % 400 === 380) return '\n```\n\n';
    if (n % 400 > 340 && n % 400 < 380) return n % 8 === 0 ? `${word};\n` : `${word}.`;
    return n % 60 === 59 ? `${word}.\n\n` : `${word} `;
  });
}

function isDelta({ type }: ResponseEvent): boolean {
  return type === 'response.output_text.delta';
}
