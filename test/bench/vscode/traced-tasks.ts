import type { Browser, Page } from 'playwright-core';

/** The longest task of the thread that draws, by the processor time it took and by the clock on the wall. */
export interface LongestTask {
  readonly cpu_ms: number;
  readonly wall_ms: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds: by the wall, and of the thread itself. */
  readonly dur?: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/**
 * By the wall alone a task is long, too, when the machine has just given the processor to somebody else; what it
 * took of the processor is its own. Tracing costs something, so nothing else is measured meanwhile.
 */
export async function longestTask(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<LongestTask> {
  await browser.startTracing(page, { categories: ['toplevel'] });
  try {
    await work();
  } catch (error) {
    await browser.stopTracing();
    throw error;
  }
  const trace = JSON.parse((await browser.stopTracing()).toString('utf8')) as {
    traceEvents: readonly TraceEvent[];
  };
  const drawing = new Set(
    trace.traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(threadOf),
  );
  const tasks = trace.traceEvents.filter(
    (event) => event.ph === 'X' && event.name.endsWith('RunTask') && drawing.has(threadOf(event)),
  );
  if (tasks.length === 0) throw new Error('the trace has no task of a page: its format may have changed');
  return {
    cpu_ms: Math.max(...tasks.map(({ tdur }) => (tdur ?? 0) / 1000)),
    wall_ms: Math.max(...tasks.map(({ dur }) => (dur ?? 0) / 1000)),
  };
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid} ${tid}`;
}
