import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VSIX } from '../../../src/dev/project.mjs';
import { launchBrowser } from '../../support/browser/chromium.ts';
import { median, row, type Row } from '../table.ts';
import { contender, LEDGERLINE, type Contender, type Name } from './contenders.ts';
import { makeLong } from './long-session.ts';
import type { SideBar } from './measured-window.ts';
import { DELTAS, startPacedServer } from './paced-server.ts';
import type { LongestTask } from './traced-tasks.ts';
import { readingRun, type ReadingRun } from './reading-run.ts';
import { windowRun, type StreamRun, type WindowRun } from './runs.ts';

const RUNS = Number(process.env['BENCH_RUNS'] ?? 5);
const KB = 1024;
const OURS = ['short', 'long'] as const;

/** The view in the real VS Code, against the least that can stream into a side bar. */
export async function viewCost(): Promise<readonly Row[]> {
  // Not inside the project: its repository would keep the windows busy.
  const folder = await mkdtemp(join(tmpdir(), 'ledgerline-bench-'));
  try {
    return await measured(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measured(folder: string): Promise<readonly Row[]> {
  const server = await startPacedServer();
  const browser = await launchBrowser();
  const all: Contender[] = [];
  try {
    for (const name of ['nothing', 'control', 'short', 'long'] as const)
      all.push(await contender(name, { browser, url: server.url, folder }));
    const runs: Record<Name, WindowRun[]> = { nothing: [], control: [], short: [], long: [] };
    for (const one of all) await warmUp(one, (bar) => windowRun(one, server, bar));
    // In turns, so that a noisy moment hits all of them.
    for (let i = 0; i < RUNS; i += 1)
      for (const one of all) runs[one.name].push(noted(one.name, await windowRun(one, server)));
    return [...rowsOf(runs), readingRow(await readingRun(browser, folder)), await packageRow()];
  } finally {
    for (const { vscode } of all) await vscode.stop();
    await browser.close();
    await server.close();
  }
}

/** The first window of a VS Code is slower than all others, and the long session needs one to begin with. */
async function warmUp(
  { name, vscode, bar }: Contender,
  run: (bar: SideBar | null) => Promise<WindowRun>,
): Promise<void> {
  noted(`${name}, warming up`, await run(name === 'long' ? LEDGERLINE : bar));
  if (name === 'long') await makeLong(vscode);
}

function noted(name: string, run: WindowRun): WindowRun {
  process.stderr.write(`  ${name}: ${JSON.stringify(run, rounded)}\n`);
  return run;
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 10) / 10 : value;
}

function rowsOf(runs: Readonly<Record<Name, readonly WindowRun[]>>): readonly Row[] {
  const of = (name: Name, pick: (run: WindowRun) => number | null): number =>
    median(runs[name].flatMap((run) => pick(run) ?? []));
  const streamed = (name: Name, pick: (run: StreamRun) => number): number =>
    of(name, ({ stream }) => (stream === null ? null : pick(stream)));
  const both = (
    what: string,
    pick: (run: StreamRun) => number,
    rest: { readonly unit: string; readonly goal?: number; readonly note?: string },
  ): readonly Row[] =>
    OURS.map((name) =>
      row(name === 'long' ? `${what}, 10,000 items` : what, {
        ours: streamed(name, pick),
        baseline: streamed('control', pick),
        ...rest,
      }),
    );
  const longest = (names: readonly Name[], kind: keyof LongestTask): number =>
    Math.max(...names.flatMap((name) => runs[name].flatMap(({ stream }) => stream?.longest[kind] ?? [])));
  const resident = (name: Name): number => of(name, ({ memory }) => memory.resident_mb);
  const heap = (name: Name): number => of(name, ({ memory }) => memory.heap_mb);
  const over = (name: Name): string => (resident(name) - resident('nothing')).toFixed(1);
  return [
    ...both('end lag of a stream', (run) => run.end_lag_ms, { unit: 'ms', goal: 2 }),
    ...both('first chunk in the page', (run) => run.first_chunk_ms, { unit: 'ms', goal: 1.5 }),
    ...both('renderer busy in a stream', (run) => run.busy.task, { unit: 'ms', goal: 2 }),
    ...both('  of that, scripts', (run) => run.busy.script, { unit: 'ms' }),
    ...both('  of that, style and layout', (run) => run.busy.layout, { unit: 'ms' }),
    ...both('host CPU in a stream', (run) => run.host_cpu_ms, { unit: 'ms' }),
    ...both('message bytes a delta', (run) => run.seen.bytes / DELTAS, { unit: 'bytes' }),
    ...both('messages of a stream', (run) => run.seen.messages, { unit: '' }),
    row('longest task of a stream', {
      ours: longest(OURS, 'cpu_ms'),
      baseline: 50,
      unit: 'ms',
      goal: 1,
      note: `processor time of the worst, against 50 ms; control ${longest(['control'], 'cpu_ms').toFixed(0)}; by the wall ${longest(OURS, 'wall_ms').toFixed(0)}, control ${longest(['control'], 'wall_ms').toFixed(0)}`,
    }),
    row('load and activate', {
      ours: of('short', (run) => run.activation_ms),
      baseline: of('control', (run) => run.activation_ms),
      unit: 'ms',
      goal: 1.5,
      note: 'as VS Code tells it',
    }),
    row('side bar opens', {
      ours: of('short', (run) => run.open_ms),
      baseline: of('control', (run) => run.open_ms),
      unit: 'ms',
      note: 'from the click to a view that can be used',
    }),
    row('first screen of 10,000 items', {
      ours: of('long', (run) => run.open_ms),
      baseline: of('control', (run) => run.open_ms),
      unit: 'ms',
      note: "against the control's empty view",
    }),
    row('host memory over no extension', {
      ours: resident('short') - resident('nothing'),
      baseline: 25,
      unit: 'MB',
      goal: 1,
      note: `resident, after gc, against 25 MB; control ${over('control')}, 10,000 items ${over('long')}`,
    }),
    row('host heap over no extension', {
      ours: heap('short') - heap('nothing'),
      baseline: heap('control') - heap('nothing'),
      unit: 'MB',
      note: `10,000 items ${(heap('long') - heap('nothing')).toFixed(1)}`,
    }),
  ];
}

function readingRow({ opening, back }: ReadingRun): Row {
  return row('longest task while opening and scrolling back', {
    ours: Math.max(opening.cpu_ms, back.cpu_ms),
    baseline: 50,
    unit: 'ms',
    goal: 1,
    note: `processor time, answers of 2 KB, against 50 ms; opening ${opening.cpu_ms.toFixed(0)}, back ${back.cpu_ms.toFixed(0)}`,
  });
}

async function packageRow(): Promise<Row> {
  const { size } = await stat(VSIX);
  return row('package', { ours: size / KB, baseline: 800, unit: 'KB', goal: 1, note: 'against 800 KB' });
}
