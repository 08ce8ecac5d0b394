import { Worker } from 'node:worker_threads';
import * as z from 'zod';
import type { LineMatch } from './search-engine.ts';

/**
 * A regular expression of JavaScript can take for ever on a short line, and nothing can interrupt it in its
 * own thread. So it runs in a worker that can be ended; refusing such patterns instead is not possible, as
 * nobody can tell them for sure. The source is text because a bundle has no second file to load.
 */
const SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const regex = new RegExp(workerData.source, workerData.flags);
parentPort.on('message', (text) => {
  const lines = text.split('\\n');
  if (lines[lines.length - 1] === '') lines.pop();
  const matches = [];
  for (let at = 0; at < lines.length && matches.length < workerData.limit; at += 1) {
    const line = lines[at].endsWith('\\r') ? lines[at].slice(0, -1) : lines[at];
    const found = regex.exec(line);
    if (found !== null) matches.push({ line: at + 1, text: line, column: found.index });
  }
  parentPort.postMessage(matches);
});
`;

const Matches = z.array(z.object({ line: z.number(), text: z.string(), column: z.number() }));

export class RegexWorker {
  private readonly worker: Worker;

  constructor(regex: RegExp, limit: number) {
    const workerData = { source: regex.source, flags: regex.flags, limit };
    this.worker = new Worker(SOURCE, { eval: true, workerData });
  }

  /** The lines of a text that match, or undefined when the signal came first: then the worker is gone. */
  async match(text: string, signal: AbortSignal): Promise<readonly LineMatch[] | undefined> {
    if (signal.aborted) return undefined;
    const { worker } = this;
    const ended = new AbortController();
    try {
      return await new Promise((resolve, reject) => {
        worker.once('message', (message) => resolve(Matches.parse(message)));
        worker.once('error', reject);
        signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: ended.signal });
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        worker.postMessage(text);
      });
    } finally {
      ended.abort();
      worker.removeAllListeners('message');
      worker.removeAllListeners('error');
      if (signal.aborted) await this.close();
    }
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }
}
