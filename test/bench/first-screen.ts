import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { snapshotMessage } from '../../src/presenter/snapshot.ts';
import { OpenedSession } from '../../src/app/open-session.ts';
import { NOBODY_WATCHES } from '../support/session-watch.ts';
import { storeIn, withPlace } from './place.ts';
import { benchSession } from './rounds.ts';
import { writeSized } from './sized-file.ts';
import { median, row, type Row } from './table.ts';

const MB = 1024 * 1024;
const RUNS = 7;
/** The most memory a first screen may take. */
const MEMORY_GOAL_MB = 200;

/** From nothing to the message that a view shows, for a log of 1 GB against one of 1 MB. */
export async function firstScreen(): Promise<readonly Row[]> {
  return withPlace(async (folder) => {
    const session = await benchSession(storeIn(folder), 'seed');
    while (session.events() < 2000) await session.turn(20);
    await session.close();
    await grow(folder, 'small', MB);
    await grow(folder, 'large', 1024 * MB);
    const small: Screen[] = [];
    const large: Screen[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      small.push(await inFreshProcess(folder, 'small'));
      large.push(await inFreshProcess(folder, 'large'));
    }
    const peak = Math.max(...large.map((one) => one.peak_mb));
    return [
      row('first screen of a 1 GB log', {
        ours: median(large.map((one) => one.ms)),
        baseline: median(small.map((one) => one.ms)),
        unit: 'ms',
        goal: 2,
        note: 'against a 1 MB log, fresh process',
      }),
      row('peak memory of that', {
        ours: peak,
        baseline: MEMORY_GOAL_MB,
        unit: 'MB',
        goal: 1,
        note: 'against the limit of 200 MB',
      }),
    ];
  });
}

/** Repeats the events of a real log, numbered on, until the file has its size. */
async function grow(folder: string, id: string, size: number): Promise<void> {
  const lines = (await readFile(`${folder}/sessions/seed.jsonl`, 'utf8')).split('\n').slice(0, -1);
  const parts = lines.map((line) =>
    line.replaceAll('"session_id":"seed"', `"session_id":"${id}"`).split(/"seq":\d+/),
  );
  let seq = 0;
  await writeSized(`${folder}/sessions/${id}.jsonl`, size, () => {
    let chunk = '';
    for (const [head = '', ...rest] of parts) {
      chunk += `${head}"seq":${seq}${rest.join('"seq":0')}\n`;
      seq += 1;
    }
    return chunk;
  });
}

interface Screen {
  readonly ms: number;
  readonly peak_mb: number;
}

async function inFreshProcess(folder: string, id: string): Promise<Screen> {
  const self = process.argv[1] ?? '';
  const { stdout } = await promisify(execFile)(process.execPath, [self, '--first-screen', folder, id]);
  return JSON.parse(stdout) as Screen;
}

/** The child: opens, shows, tells. */
export async function showFirstScreen(folder: string, id: string): Promise<void> {
  const began = performance.now();
  const opened = await OpenedSession.open(storeIn(folder), id, NOBODY_WATCHES, { take_over: false });
  const message = snapshotMessage({
    session_id: id,
    title: opened.title,
    access: opened.access,
    ...opened.window,
    stream: null,
    settings: { provider: 'offline', model: 'offline', mode: 'ask' },
  });
  const bytes = JSON.stringify(message).length;
  const ms = performance.now() - began;
  await opened.close();
  if (bytes < 1000) throw new Error('nothing was shown');
  process.stdout.write(JSON.stringify({ ms, peak_mb: process.resourceUsage().maxRSS / 1024 }));
}
