import type { Checkpoint } from '../agent-events.ts';
import type { EventData, LogEvent } from '../events.ts';
import { checkpointOf } from './checkpoint.ts';

/** What the log of a child says of its last turn: the evidence of its end. */
export interface ChildWork {
  /** What it said last, whole; empty where it has not answered. */
  readonly words: string;
  readonly checkpoint: Checkpoint | null;
  readonly failure: EventData['turn_failed'] | null;
  /** Arguments of reports that have no result yet, by call. */
  readonly reports: Readonly<Record<string, string>>;
  /** The response that said the words. */
  readonly stream: string;
}

export const NO_WORK: ChildWork = { words: '', checkpoint: null, failure: null, reports: {}, stream: '' };

/** Pure: the work after one more event of the child's log. */
export function applyToWork(work: ChildWork, event: LogEvent): ChildWork {
  if (event.type === 'user_message') return NO_WORK;
  if (event.type === 'turn_failed') return { ...work, failure: event.data };
  if (event.type === 'assistant_message') return event.data.metadata.partial ? work : said(work, event.data);
  if (event.type === 'tool_call') return event.data.name === REPORT ? reporting(work, event.data) : work;
  return event.type === 'tool_result' && event.data.ok ? reported(work, event.data.call_id) : work;
}

const REPORT = 'report_checkpoint';

function said(work: ChildWork, { text, stream_run_id }: EventData['assistant_message']): ChildWork {
  const words = work.stream === stream_run_id ? `${work.words}\n${text}` : text;
  return { ...work, words, stream: stream_run_id };
}

function reporting(work: ChildWork, { call_id, args }: EventData['tool_call']): ChildWork {
  return { ...work, reports: { ...work.reports, [call_id]: args } };
}

function reported(work: ChildWork, callId: string): ChildWork {
  const args = Object.hasOwn(work.reports, callId) ? work.reports[callId] : undefined;
  return args === undefined ? work : { ...work, checkpoint: checkpointOf(args) ?? work.checkpoint };
}

/** The most of a child's last words that its parent is told; all of them are in its own log. */
const LONGEST = 12_000;

export function summaryOf({ words, checkpoint }: ChildWork): string {
  const text = words.trim() === '' ? (checkpoint?.summary ?? '') : words;
  if (text.length <= LONGEST) return text;
  const rest = text.length - LONGEST;
  return `${text.slice(0, LONGEST).toWellFormed()}\n[${rest} more characters are in the agent's own session.]`;
}
