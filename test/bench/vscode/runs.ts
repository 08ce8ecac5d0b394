import { setTimeout as delay } from 'node:timers/promises';
import type { Frame } from 'playwright-core';
import { until } from '../../support/browser/until.ts';
import { evidence } from '../../e2e/harness/workbench.ts';
import type { Contender } from './contenders.ts';
import { cpuMs, memoryOf, type HostMemory } from './host-process.ts';
import { MeasuredWindow } from './measured-window.ts';
import type { PacedAnswer, PacedServer } from './paced-server.ts';
import { longestTask, type LongestTask } from './traced-tasks.ts';
import { RendererClock, seenIn, watchFor, type Busy, type Seen } from './watched-frame.ts';

/** What follows the last word for this long still counts as work for the stream. */
const AFTERMATH_MS = 500;
const STREAM_PATIENCE_MS = 120_000;

export interface StreamRun {
  readonly first_chunk_ms: number;
  readonly end_lag_ms: number;
  readonly host_cpu_ms: number;
  readonly busy: Busy;
  readonly seen: Seen;
  readonly longest: LongestTask;
}

export interface WindowRun {
  readonly memory: HostMemory;
  /** Null without a side bar. */
  readonly open_ms: number | null;
  readonly activation_ms: number | null;
  readonly stream: StreamRun | null;
}

/** A window from its start to its end: open, look at the memory, stream once, ask for the activation. */
export async function windowRun(
  contender: Contender,
  server: PacedServer,
  bar = contender.bar,
): Promise<WindowRun> {
  const window = await MeasuredWindow.open(contender.profile, contender.vscode);
  try {
    if (bar === null)
      return { memory: await memoryOf(window.host), open_ms: null, activation_ms: null, stream: null };
    const { frame, ms } = await window.openSideBar(bar);
    await window.atRest();
    const memory = await memoryOf(window.host);
    await contender.prepare(window.page);
    const stream = await streamRun(window, contender, frame, server);
    const activation_ms = await window.activationMs(bar.title);
    await window.putAway();
    return { memory, open_ms: ms, stream, activation_ms };
  } catch (error) {
    const told = await evidence({ vscode: contender.vscode, page: window.page });
    throw new Error(`${contender.name} could not be measured\n${told}`, { cause: error });
  } finally {
    await window.close();
  }
}

/** An answer that was asked for and is watched for, once nothing else is under way. */
async function heldAnswer(
  window: MeasuredWindow,
  contender: Contender,
  frame: Frame,
  server: PacedServer,
): Promise<PacedAnswer> {
  await contender.begin(frame);
  const answer = await server.next();
  await watchFor(frame, { first: answer.first, last: answer.last });
  await window.atRest();
  return answer;
}

async function end(contender: Contender, frame: Frame): Promise<Seen> {
  const seen = await until({
    what: `the end of the answer in ${contender.name}`,
    probe: async () => {
      const now = await seenIn(frame);
      return now.last_at === 0 ? undefined : now;
    },
    timeoutMs: STREAM_PATIENCE_MS,
  });
  await contender.settled(frame);
  await delay(AFTERMATH_MS);
  return seen;
}

async function streamRun(
  window: MeasuredWindow,
  contender: Contender,
  frame: Frame,
  server: PacedServer,
): Promise<StreamRun> {
  const answer = await heldAnswer(window, contender, frame, server);
  const clock = await RendererClock.of(window.page);
  const [busyBefore, cpuBefore] = [await clock.read(), await cpuMs(window.host)];
  const sent = await answer.release();
  const seen = await end(contender, frame);
  const [busy, cpu] = [await clock.read(), await cpuMs(window.host)];
  return {
    first_chunk_ms: seen.first_at - sent.first_at,
    end_lag_ms: seen.last_at - sent.last_at,
    host_cpu_ms: cpu - cpuBefore,
    busy: {
      task: busy.task - busyBefore.task,
      script: busy.script - busyBefore.script,
      layout: busy.layout - busyBefore.layout,
    },
    seen: await seenIn(frame),
    longest: await tracedStream(window, contender, frame, server),
  };
}

/** The same once more, for its tasks alone. */
async function tracedStream(
  window: MeasuredWindow,
  contender: Contender,
  frame: Frame,
  server: PacedServer,
): Promise<LongestTask> {
  const browser = contender.profile.browser();
  if (browser === null) throw new Error('the profile has no browser');
  const answer = await heldAnswer(window, contender, frame, server);
  return longestTask(browser, window.page, async () => {
    await answer.release();
    await end(contender, frame);
  });
}
