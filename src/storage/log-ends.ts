import type { LogEvent } from '../runtime/events.ts';
import { applyToSession, emptySession } from '../runtime/session-state.ts';
import { titleOf } from '../runtime/title.ts';
import { turnState, type TurnState } from '../runtime/turn.ts';
import type { DiskFile, FileStat } from './disk.ts';
import { linesOf, readLine } from './log-scan.ts';
import { readBack } from './log-tail.ts';
import { isSessionId } from './session-paths.ts';

const HEAD_BYTES = 64 * 1024;

/** Whose child a session is. */
export interface ChildOf {
  readonly session_id: string;
  readonly subagent_id: string;
  readonly agent: string;
  readonly depth: number;
}

/** Which session a fork was made of, and up to where. */
export interface ForkOf {
  readonly session_id: string;
  readonly to_seq: number;
}

/** What the beginning of a log says of its session. */
export interface LogHead {
  /** Start of the first message; empty when there is none. */
  readonly title: string;
  /** Null for a session that a person began. */
  readonly parent: ChildOf | null;
  /** Null for one that is no fork. */
  readonly fork: ForkOf | null;
}

export const NO_HEAD: LogHead = { title: '', parent: null, fork: null };

/** What a log says of its session at its two ends. */
export interface LogEnds extends LogHead {
  readonly state: TurnState | null;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly problem: string | null;
}

export async function readEnds(
  session_id: string,
  file: DiskFile,
  { size, modified_ms }: FileStat,
): Promise<LogEnds> {
  const head = await readHead(file, size);
  const tail = await readBack(file, size, null, (events) => events.some(isPrompt));
  const first = head.events[0];
  const last = tail.events.at(-1);
  const wrong = head.problem ?? tail.damaged[0]?.reason ?? null;
  return {
    ...headIn(head.events),
    state: lastState(session_id, tail.events),
    ...(first === undefined ? {} : { created_at: first.ts }),
    ...(last === undefined ? {} : { updated_at: noLater(last.ts, modified_ms) }),
    problem: wrong === null ? null : `The log is damaged: ${wrong}.`,
  };
}

/** A clock that was ahead for a while must not make a session the last used one for as long. */
function noLater(ts: string, modified_ms: number): string {
  return Date.parse(ts) > modified_ms ? new Date(modified_ms).toISOString() : ts;
}

/** At the cost of the head alone. */
export async function readLogHead(file: DiskFile): Promise<LogHead> {
  return headIn((await readHead(file, await file.size())).events);
}

function headIn(events: readonly LogEvent[]): LogHead {
  const title = titleOf(events.find(isPrompt)?.data.text ?? '');
  return { title, parent: parentIn(events), fork: forkIn(events) };
}

function forkIn([first]: readonly LogEvent[]): ForkOf | null {
  if (first?.type !== 'session_fork') return null;
  const { parent_session_id: session_id, forked_to_seq: to_seq } = first.data;
  return isSessionId(session_id) ? { session_id, to_seq } : null;
}

/** A log may say anything: what is no session cannot be a parent. */
function parentIn(events: readonly LogEvent[]): ChildOf | null {
  const started = events.find((event) => event.type === 'session_started');
  const { parent_session_id, subagent_id, agent, depth } = started?.data ?? {};
  if (typeof parent_session_id !== 'string' || !isSessionId(parent_session_id)) return null;
  return {
    session_id: parent_session_id,
    subagent_id: typeof subagent_id === 'string' ? subagent_id : '',
    agent: typeof agent === 'string' ? agent : '',
    depth: typeof depth === 'number' ? depth : 1,
  };
}

async function readHead(
  file: DiskFile,
  size: number,
): Promise<{ readonly events: readonly LogEvent[]; readonly problem: string | null }> {
  const bytes = await file.read(0, Math.min(size, HEAD_BYTES));
  const events: LogEvent[] = [];
  let problem: string | null = null;
  for (const { text } of linesOf(bytes.subarray(0, bytes.lastIndexOf(10) + 1))) {
    const read = readLine(text);
    if (read.ok) events.push(read.event);
    else problem ??= read.reason;
    if (events.some(isPrompt)) break;
  }
  return { events, problem };
}

function isPrompt(event: LogEvent): event is LogEvent & { readonly type: 'user_message' } {
  return event.type === 'user_message';
}

function lastState(sessionId: string, events: readonly LogEvent[]): TurnState | null {
  const { turn } = events.reduce(applyToSession, emptySession(sessionId));
  return turn === null ? lastWord(events) : turnState(turn);
}

/** The tail of a turn that is longer than what is read: its last word on itself. */
function lastWord(events: readonly LogEvent[]): TurnState | null {
  const last = events.findLast((event) => event.type === 'turn_failed' || event.type === 'run_status');
  const failed = events.findLast((event) => event.type === 'turn_failed');
  if (last?.type === 'run_status' && last.data.status !== 'done') return last.data.status;
  if (failed?.type === 'turn_failed') return failed.data.terminal_status;
  return last === undefined ? null : 'completed';
}
