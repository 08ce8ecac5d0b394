import { isAscii } from 'node:buffer';
import type { LogEvent } from '../runtime/events.ts';
import { Blobs } from './blobs.ts';
import { BODY_FIELD, internalise, namesBody } from './bodies.ts';
import { isDiskError, type DiskFile } from './disk.ts';
import { linesOf, readLine, wholeLines } from './log-scan.ts';
import { sessionPaths } from './session-paths.ts';
import type { StorePorts } from './session-store.ts';

export interface SearchHit {
  readonly session_id: string;
  /** Null for a line that is no event of a turn. */
  readonly turn_id: string | null;
  readonly seq: number | null;
  readonly ts: string | null;
  readonly where: 'prompt' | 'answer' | 'call' | 'output' | 'failure' | 'damaged';
  readonly excerpt: { readonly before: string; readonly match: string; readonly after: string };
}

export interface SearchOptions {
  readonly text: string;
  /** In the order they are searched. */
  readonly session_ids: readonly string[];
  readonly most_hits: number;
  readonly signal: AbortSignal;
}

const AROUND = 60;

/**
 * Looks for a text in whatever was said, asked for and put out in sessions, whatever its case. Reads each log
 * once, a piece at a time; of every turn the first place is given. Takes no lease and changes nothing.
 */
export async function* searchSessions(
  ports: StorePorts,
  root: string,
  options: SearchOptions,
): AsyncGenerator<SearchHit> {
  const needle = new Needle(options.text);
  const blobs = new Blobs(ports.disk, `${root}/blobs`, ports.hasher, ports.ids);
  let hits = 0;
  for (const session_id of options.session_ids) {
    if (options.signal.aborted) return;
    const file = await openIfThere(ports, sessionPaths(root, session_id).log);
    if (file === null) continue;
    try {
      for await (const hit of searchLog(file, session_id, needle, { blobs, signal: options.signal })) {
        yield hit;
        hits += 1;
        if (hits >= options.most_hits) return;
      }
    } finally {
      await file.close();
    }
  }
}

async function openIfThere({ disk, warn }: StorePorts, path: string): Promise<DiskFile | null> {
  try {
    return await disk.open(path, 'read');
  } catch (error) {
    if (isDiskError(error, 'missing')) return null;
    warn(`a log could not be searched: ${String(error)}`);
    return null;
  }
}

async function* searchLog(
  file: DiskFile,
  session_id: string,
  needle: Needle,
  { blobs, signal }: { readonly blobs: Blobs; readonly signal: AbortSignal },
): AsyncGenerator<SearchHit> {
  const found = new Set<string>();
  for await (const whole of wholeLines(file, 0, await file.size())) {
    if (signal.aborted) return;
    for (const bytes of needle.candidates(whole)) {
      for (const { text } of linesOf(bytes)) {
        const hit = await hitIn(text, session_id, needle, blobs);
        if (hit === null || (hit.turn_id !== null && found.has(hit.turn_id))) continue;
        if (hit.turn_id !== null) found.add(hit.turn_id);
        yield hit;
      }
    }
  }
}

async function hitIn(
  line: string | null,
  session_id: string,
  needle: Needle,
  blobs: Blobs,
): Promise<SearchHit | null> {
  const read = readLine(line);
  if (!read.ok) {
    const excerpt = needle.excerpt(line ?? '');
    return excerpt && { session_id, turn_id: null, seq: null, ts: null, where: 'damaged', excerpt };
  }
  // A body that is missing is found by whoever opens the session; its head can still be searched.
  const bodied = namesBody(read.event) ? await internalise(read.event, blobs) : read;
  const event = bodied.ok ? bodied.event : read.event;
  const said = saidIn(event);
  if (said === null) return null;
  const { seq, ts } = event;
  for (const text of said.texts) {
    const excerpt = needle.excerpt(text);
    if (excerpt !== null) return { session_id, turn_id: said.turn_id, seq, ts, where: said.where, excerpt };
  }
  return null;
}

interface Said {
  readonly turn_id: string;
  readonly where: SearchHit['where'];
  readonly texts: readonly string[];
}

/** Null for events in which nobody says anything. */
function saidIn(event: LogEvent): Said | null {
  switch (event.type) {
    case 'user_message': {
      const { turn_id, text, attachments } = event.data;
      const attached = attachments.flatMap((one) => [one.label, one.path, one.text]);
      return {
        turn_id,
        where: 'prompt',
        texts: [text, ...attached.filter((part) => typeof part === 'string')],
      };
    }
    case 'assistant_message':
      return { turn_id: event.data.turn_id, where: 'answer', texts: [event.data.text] };
    case 'tool_call':
      return { turn_id: event.data.turn_id, where: 'call', texts: [...argumentTexts(event.data.args)] };
    case 'tool_result': {
      const { turn_id, output, error } = event.data;
      return { turn_id, where: 'output', texts: [output ?? '', error?.message ?? ''] };
    }
    case 'turn_failed':
      return { turn_id: event.data.turn_id, where: 'failure', texts: [event.data.error_message] };
    case 'session_started':
    case 'session_fork':
    case 'developer_context':
    case 'reasoning':
    case 'tool_call_status':
    case 'tool_call_decision':
    case 'run_status':
    case 'permission_decision':
    case 'file_change':
    case 'provider_usage':
    case 'interruption_note':
    case 'skill_activation':
    case 'history_compaction':
    case 'branch_summary':
    case 'subagent_event':
    case 'workflow_event':
    case 'diagnostic':
    case 'unknown':
      return null;
  }
}

/** As a person would write them, and as the model did. */
function* argumentTexts(args: string): Generator<string> {
  try {
    const value: unknown = JSON.parse(args);
    if (typeof value === 'object' && value !== null)
      for (const one of Object.values(value)) if (typeof one === 'string') yield one;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  yield args;
}

const NEWLINE = 10;

/** What is looked for. Cases are told apart by nobody; everything else counts as it is. */
class Needle {
  private readonly lower: string;
  /** As it stands in a line of JSON, and in JSON that is a string of such a line. */
  private readonly raw: readonly string[];
  private readonly encoding: 'latin1' | 'utf8';

  constructor(text: string) {
    this.lower = text.toLowerCase();
    this.raw = [...new Set([escaped(this.lower), escaped(escaped(this.lower))])];
    // In UTF-8 no part of another character looks like ASCII, so then bytes can be compared as they are.
    this.encoding = isAscii(Buffer.from(text)) ? 'latin1' : 'utf8';
  }

  /** The lines that may have it: most of a log is never parsed. */
  *candidates(whole: Buffer): Generator<Buffer> {
    const bodied = whole.includes(BODY_FIELD);
    const text = whole.toString(this.encoding).toLowerCase();
    if (!bodied && !this.raw.some((one) => text.includes(one))) return;
    if (bodied || this.encoding === 'utf8') {
      // Offsets in the text are not those in the bytes, or a line's text is not all there is to it.
      yield* this.linesWith(whole);
      return;
    }
    for (let from = 0; from < text.length;) {
      const at = this.next(text, from);
      if (at === -1) return;
      const start = whole.lastIndexOf(NEWLINE, at) + 1;
      const end = whole.indexOf(NEWLINE, at) + 1;
      yield whole.subarray(start, end);
      from = end;
    }
  }

  excerpt(text: string): SearchHit['excerpt'] | null {
    const lower = text.toLowerCase();
    const found = lower.indexOf(this.lower);
    if (found === -1) return null;
    const { start: at } = characterAt(text, lower, found);
    const { end } = characterAt(text, lower, found + this.lower.length - 1);
    const start = Math.max(0, at - AROUND);
    return {
      before: oneLine(`${start > 0 ? '…' : ''}${text.slice(start, at).toWellFormed()}`),
      match: oneLine(text.slice(at, end)),
      after: oneLine(text.slice(end, end + 2 * AROUND).toWellFormed()),
    };
  }

  private next(text: string, from: number): number {
    const found = this.raw.map((one) => text.indexOf(one, from)).filter((at) => at !== -1);
    return found.length === 0 ? -1 : Math.min(...found);
  }

  private *linesWith(whole: Buffer): Generator<Buffer> {
    for (let from = 0; from < whole.length;) {
      const end = whole.indexOf(NEWLINE, from) + 1;
      const line = whole.subarray(from, end);
      const text = line.toString(this.encoding).toLowerCase();
      if (line.includes(BODY_FIELD) || this.raw.some((one) => text.includes(one))) yield line;
      from = end;
    }
  }
}

/** Where the character is whose lower case has an offset: that of some characters is longer than they are. */
function characterAt(text: string, lower: string, offset: number): { start: number; end: number } {
  if (lower.length === text.length) return { start: offset, end: offset + 1 };
  let start = 0;
  let passed = 0;
  for (const character of text) {
    const end = start + character.length;
    passed += character.toLowerCase().length;
    if (passed > offset) return { start, end };
    start = end;
  }
  return { start, end: start };
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ');
}
