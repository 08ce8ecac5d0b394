import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { until } from './until.ts';

/** Where the logs are: of a window of VS Code, or of a page without one. */
export interface Storage {
  readonly storageDir: () => Promise<string>;
}

export type LoggedEvent = {
  readonly session_id: string;
  readonly seq: number;
  readonly type: string;
  readonly data: Record<string, unknown>;
};

/** The events of all sessions, one log after the other. */
export async function loggedEvents(window: Storage): Promise<readonly LoggedEvent[]> {
  const folder = path.join(await window.storageDir(), 'sessions');
  const files = await until({
    what: `a log in ${folder}`,
    probe: async () => {
      const found = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
      return found.length === 0 ? undefined : found;
    },
  });
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  return (
    texts
      // A line may be half written.
      .flatMap((text) => text.split('\n').slice(0, -1))
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as LoggedEvent)
  );
}

/** What the log says of the calls of a turn, in the order it was said. */
export type CallRecord = {
  readonly decisions: readonly string[];
  readonly permissions: readonly string[];
  readonly results: readonly string[];
};

export async function callRecord(window: Storage, turn: Locator): Promise<CallRecord> {
  const all = await turnEvents(window, turn);
  const of = (type: string): readonly LoggedEvent['data'][] =>
    all.filter((event) => event.type === type).map(({ data }) => data);
  return {
    decisions: of('tool_call_decision').map((data) => `${String(data.action)} by ${String(data.decided_by)}`),
    permissions: of('permission_decision').map(
      (data) => `${String(data.decision)} by ${String(data.decided_by)}`,
    ),
    results: of('tool_result').map((data) => (data.ok === true ? 'ok' : errorKind(data.error))),
  };
}

function errorKind(error: unknown): string {
  return typeof error === 'object' && error !== null && 'kind' in error ? String(error.kind) : 'error';
}

/** What the log has of a turn. */
export async function turnEvents(window: Storage, turn: Locator): Promise<readonly LoggedEvent[]> {
  const id = await turn.getAttribute('data-turn-id');
  return (await loggedEvents(window)).filter((event) => event.data.turn_id === id);
}
