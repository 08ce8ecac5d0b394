import { readFile } from 'node:fs/promises';
import { parseLine } from '../../src/runtime/event-line.ts';
import { SessionFolds } from '../../src/runtime/session-folds.ts';
import { storeIn, withPlace } from './place.ts';
import { benchSession } from './rounds.ts';
import { median, row, type Row } from './table.ts';

const EVENTS = 12_000;
const RUNS = 15;

/** Checking and folding a whole log, against JSON.parse of the same lines and nothing else. */
export async function foldCost(): Promise<readonly Row[]> {
  return withPlace(async (folder) => {
    const store = storeIn(folder);
    const session = await benchSession(store, 's1');
    while (session.events() < EVENTS) await session.turn(40);
    await session.close();
    const text = await readFile(`${folder}/sessions/s1.jsonl`, 'utf8');
    const lines = text.split('\n').slice(0, -1);
    const ours: number[] = [];
    const baseline: number[] = [];
    const disk: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      baseline.push(time(() => lines.forEach((line) => void JSON.parse(line))));
      ours.push(time(() => fold(lines)));
      disk.push(await timeAsync(() => load(folder)));
    }
    return [
      row('full fold', {
        ours: median(ours),
        baseline: median(baseline),
        unit: 'ms',
        goal: 2,
        note: `${lines.length} events, parse, check and fold`,
      }),
      row('full load from disk', {
        ours: median(disk),
        baseline: median(baseline),
        unit: 'ms',
        note: 'read, UTF-8 check, parse, fold',
      }),
    ];
  });
}

function fold(lines: readonly string[]): void {
  const folds = new SessionFolds('s1');
  for (const line of lines) {
    const parsed = parseLine(line);
    if (!parsed.ok) throw new Error(parsed.reason);
    folds.push(parsed.event);
  }
  const { repairs } = folds.input({ model: 'gpt-5.4', endpoint: 'bench' });
  if (repairs.length > 0) throw new Error('the log does not fold to a valid request');
}

async function load(folder: string): Promise<void> {
  const folds = new SessionFolds('s1');
  const stored = storeIn(folder).inspect('s1');
  await stored.load({ event: (event) => folds.push(event) });
  await stored.close();
}

function time(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

async function timeAsync(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
