import { readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogEvent } from '../../src/runtime/events.ts';
import type { Place } from '../support/headless.ts';

function logPath(place: Place, session: string): string {
  return join(place.storage, 'sessions', `${session}.jsonl`);
}

/** The log as it is on disk: equal before and after means that nothing was changed. */
export function logText(place: Place, session = 's1'): Promise<string> {
  return readFile(logPath(place, session), 'utf8');
}

/** Cuts a closed log after the first event that fits, as if the machine had stopped there. */
export async function cutAfter(place: Place, fits: (event: LogEvent) => boolean): Promise<void> {
  const lines = (await logText(place)).split('\n').slice(0, -1);
  const at = lines.findIndex((line) => fits(JSON.parse(line) as LogEvent));
  if (at === -1) throw new Error('no event fits');
  await cutTo(place, at + 1);
}

/** Cuts a closed log to its first lines. */
export async function cutTo(place: Place, count: number): Promise<void> {
  const lines = (await logText(place)).split('\n').slice(0, count);
  await truncate(logPath(place, 's1'), Buffer.byteLength(lines.map((line) => `${line}\n`).join('')));
}

/** A move of a call, for those who look for one. */
export function isMove(callId: string, to: string): (event: LogEvent) => boolean {
  return (event) =>
    event.type === 'tool_call_status' && event.data.call_id === callId && event.data.to === to;
}

/** All states a call went through, as the log has them. */
export function movesOf(events: readonly LogEvent[], callId: string): readonly string[] {
  return events.flatMap((event) =>
    event.type === 'tool_call_status' && event.data.call_id === callId ? [event.data.to] : [],
  );
}

/** The same in one line. */
export function wayOf(events: readonly LogEvent[], callId: string): string {
  return movesOf(events, callId).join(' ');
}

/** How the last turn of a log ended, and where its run is. */
export function endingOf(events: readonly LogEvent[]): object {
  const failed = events.findLast((event) => event.type === 'turn_failed');
  const run = events.findLast((event) => event.type === 'run_status');
  return {
    status: failed?.data.terminal_status ?? null,
    reason: failed?.data.interrupted_reason ?? null,
    run: run?.data.reason ?? null,
  };
}

export const STOPPED = { status: 'interrupted', reason: 'user_cancelled', run: 'cancelled' } as const;
export const SUPERSEDED = { status: 'interrupted', reason: 'superseded', run: 'cancelled' } as const;
