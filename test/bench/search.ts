import { execFile } from 'node:child_process';
import { mkdir, open, readdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Sessions } from '../../src/app/sessions.ts';
import { parseQuery } from '../../src/runtime/search/query.ts';
import { Blobs } from '../../src/storage/blobs.ts';
import { FROM_START, scanLog } from '../../src/storage/log-scan.ts';
import { MadeTurns, RARE } from './search-logs.ts';
import { storePorts, withPlace } from './place.ts';
import { writeSized } from './sized-file.ts';
import { median, row, type Row } from './table.ts';

const MB = 1024 * 1024;
const RUNS = 3;
/** What the logs take, and room for whoever else writes. */
const FREE_DISK = 3 * 1024 * MB;
/** The most memory that a search may take over what the process has without it. */
const MEMORY_GOAL_MB = 200;
/** The oldest first; the last used one is small, and has the rare text as the oldest of all has. */
const SIZES_MB = [64, 48, 512, 96, 32, 80, 64, 40, 56, 24, 8];

const QUERIES = {
  'rare text': `"${RARE}"`,
  'common text': 'parser',
  'not ASCII': 'grüße',
  'state and tool': 'state:failed tool:run_command',
  'file and text': 'file:src/part-4.ts usable',
  'last days': 'after:2026-10-01',
  'state completed': 'state:completed',
} as const;

type QueryName = keyof typeof QUERIES;
const NAMES = Object.keys(QUERIES) as readonly QueryName[];

/** What a person does not notice: no matter how much there is to read. */
const FIRST_GOAL_MS = 100;

/**
 * What a whole search may cost, as a part of what reading and checking every line costs. Where bytes alone tell which turns are
 * not meant, that is little; where every turn is to be judged or counted, it may not be more than to do so without any clue.
 */
const WHOLE_GOALS: Readonly<Record<QueryName, number>> = {
  'rare text': 0.25,
  'not ASCII': 0.25,
  'last days': 0.25,
  'state and tool': 0.5,
  'common text': 0.75,
  'file and text': 1,
  'state completed': 1.25,
};

/**
 * Time to the first answer and to the last, on 1 GB of logs, against the whole scan that opening a session takes; and, to know how
 * far that is from what no search can do without, against reading the same bytes and doing nothing.
 */
export async function searchCost(): Promise<readonly Row[]> {
  return withPlace(async (folder) => {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < FREE_DISK) throw new Error('the logs of this benchmark need 3 GB of free disk');
    await mkdir(`${folder}/sessions`, { recursive: true });
    for (const [at, size] of SIZES_MB.entries()) await writeLog(folder, at, size * MB);
    await inFreshProcess(folder, 'plain');
    const plain: number[] = [];
    const scans: number[] = [];
    const ours = new Map<QueryName, Searched[]>();
    for (let run = 0; run < RUNS; run += 1) {
      scans.push((await inFreshProcess(folder, 'scan')).whole_ms);
      for (const name of NAMES) {
        plain.push((await inFreshProcess(folder, 'plain')).whole_ms);
        ours.set(name, [...(ours.get(name) ?? []), await inFreshProcess(folder, name)]);
      }
    }
    const read = median(plain);
    const scan = median(scans);
    const rows = [...ours].flatMap(([name, runs]) => rowsOf(name, runs, { read, scan }));
    const peak = Math.max(...[...ours.values()].flat().map((one) => one.grown_mb));
    const limit = { baseline: MEMORY_GOAL_MB, unit: 'MB', goal: 1, note: 'against the limit of 200 MB' };
    return [
      row('reading alone', { ours: read, baseline: scan, unit: 'ms', note: 'against a scan of all lines' }),
      ...rows,
      ...(await ripgrep(folder, read)),
      row('peak memory over the start', { ours: peak, ...limit }),
    ];
  });
}

function rowsOf(
  name: QueryName,
  runs: readonly Searched[],
  { read, scan }: { readonly read: number; readonly scan: number },
): readonly Row[] {
  const whole = median(runs.map((one) => one.whole_ms));
  const first = median(runs.map((one) => one.first_ms));
  const note = `${runs[0]?.turns ?? 0} turns, ${(whole / read).toFixed(1)} times reading alone`;
  return [
    row(`${name}: first answer`, { ours: first, baseline: FIRST_GOAL_MS, unit: 'ms', goal: 1 }),
    row(`${name}: whole search`, { ours: whole, baseline: scan, unit: 'ms', goal: WHOLE_GOALS[name], note }),
  ];
}

async function writeLog(folder: string, at: number, size: number): Promise<void> {
  const made = new MadeTurns(at);
  const rare = at === 0 || at === SIZES_MB.length - 1;
  let turn = 0;
  await writeSized(`${folder}/sessions/ses_${String(at).padStart(2, '0')}.jsonl`, size, () =>
    made.next(rare && turn++ === 5),
  );
}

/** Times are of the processor, of all threads: on a machine that others use, too, the clock on the wall says little. */
interface Searched {
  readonly first_ms: number;
  readonly whole_ms: number;
  readonly turns: number;
  readonly grown_mb: number;
}

async function inFreshProcess(folder: string, name: string): Promise<Searched> {
  const part = join(dirname(process.argv[1] ?? ''), 'search-part.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [part, folder, name]);
  return JSON.parse(stdout) as Searched;
}

/** The child: searches, or only reads, and tells. */
export async function searchOnce(folder: string, name: string): Promise<void> {
  const start = process.memoryUsage.rss();
  const began = process.cpuUsage();
  const found = await work(folder, name, began);
  const whole_ms = cpuSince(began);
  const grown_mb = process.resourceUsage().maxRSS / 1024 - start / MB;
  process.stdout.write(JSON.stringify({ ...found, whole_ms, grown_mb }));
}

function work(folder: string, name: string, began: NodeJS.CpuUsage): Promise<Answered> {
  if (name === 'plain') return readAll(folder);
  if (name === 'scan') return scanAll(folder);
  const query = NAMES.find((one) => one === name);
  if (query === undefined) throw new Error(`${name} is no query`);
  return search(folder, query, began);
}

function cpuSince(began: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

type Answered = Pick<Searched, 'first_ms' | 'turns'>;

const NO_ANSWER: Answered = { first_ms: 0, turns: 0 };

async function readAll(folder: string): Promise<Answered> {
  // Not where large memory begins: reading to there takes three times as long, and would flatter the search.
  const buffer = Buffer.allocUnsafeSlow(512 * 1024 + 48).subarray(48);
  for (const name of await readdir(`${folder}/sessions`)) {
    const file = await open(`${folder}/sessions/${name}`);
    try {
      for (let at = 0; ;) {
        const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
        if (bytesRead === 0) break;
        at += bytesRead;
      }
    } finally {
      await file.close();
    }
  }
  return NO_ANSWER;
}

/** As a session is scanned when it is opened for the first time. */
async function scanAll(folder: string): Promise<Answered> {
  const { disk, hasher, ids } = storePorts();
  const blobs = new Blobs(disk, `${folder}/blobs`, hasher, ids);
  for (const name of await readdir(`${folder}/sessions`)) {
    const file = await disk.open(`${folder}/sessions/${name}`, 'read');
    try {
      await scanLog(file, FROM_START, blobs, ({ kind }) => {
        if (kind === 'damage') throw new Error(`${name} is damaged`);
      });
    } finally {
      await file.close();
    }
  }
  return NO_ANSWER;
}

async function search(folder: string, name: QueryName, began: NodeJS.CpuUsage): Promise<Answered> {
  const sessions = new Sessions(folder, (message) => process.stderr.write(`${message}\n`));
  const { query, problems } = parseQuery(QUERIES[name], {
    now: Date.UTC(2026, 10, 1),
    today: { year: 2026, month: 11, day: 1 },
    at: (year, month, day) => Date.UTC(year, month - 1, day),
  });
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  let first_ms = 0;
  let turns = 0;
  for await (const found of sessions.search(query, new AbortController().signal)) {
    if (turns === 0) first_ms = cpuSince(began);
    turns += found.kind === 'more' ? found.count : 1;
  }
  if (turns === 0) throw new Error(`${name} was not found`);
  return { first_ms, turns };
}

/** Where it is at hand: what a program that only searches lines takes. */
async function ripgrep(folder: string, read: number): Promise<readonly Row[]> {
  const run = promisify(execFile);
  try {
    await run('rg', ['--version']);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  const began = performance.now();
  await run('rg', ['--count', '--ignore-case', '--fixed-strings', RARE, `${folder}/sessions`]);
  return [row('ripgrep, rare text', { ours: performance.now() - began, baseline: read, unit: 'ms' })];
}
