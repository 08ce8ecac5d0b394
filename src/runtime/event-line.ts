import type { Delivery } from './agent-events.ts';
import {
  SCHEMA_VERSION,
  type Attachment,
  type CommandProcess,
  type EventData,
  type EventType,
  type LogEvent,
  type MessageMetadata,
  type NextAction,
  type Suspension,
  type TerminalStatus,
  type TokenCounts,
  type ToolError,
} from './events.ts';
import {
  boolean,
  fieldsOf,
  isRaw,
  list,
  missable,
  nullable,
  number,
  object,
  oneOf,
  optional,
  present,
  string,
  type Fields,
  type Shape,
} from './line-rules.ts';
import { CALL_MOVES, RUN_MOVES } from './machines.ts';

/**
 * One line of a log, read. Lines are outside data, but they are read by the hundred thousand: the check is
 * a table over the fields that something reads (a fold, a label, a projection, a closing, a report), down
 * to the fields of objects in them, not a schema library (see docs/decisions). Whoever begins to read
 * another field names it here. Fields the table does not name are kept as they are.
 */

const TERMINAL = {
  partial_failed: true,
  failed: true,
  interrupted: true,
  timed_out: true,
} as const satisfies Record<TerminalStatus, true>;

const attachment = object<Attachment>({
  kind: string,
  label: optional(string),
  path: optional(string),
  text: optional(string),
  mime: optional(string),
  data: optional(string),
  start_line: optional(number),
  end_line: optional(number),
  sha256: optional(string),
  bytes: optional(number),
  width: optional(number),
  height: optional(number),
});
const toolError = object<ToolError>({ kind: string, message: string });
const suspension = object<Suspension>({
  id: string,
  reason: string,
  message: string,
  resume_mode: missable(string),
});
const process = object<CommandProcess>({ pid: number, group: number, started_at: string });
const nextAction = object<NextAction>({ label: string, command: string });

const ofTurn = { turn_id: string };
const ofPrompt = { ...ofTurn, text: string, client_turn_id: string };
const ofStream = { ...ofTurn, stream_run_id: string };
const ofCall = { ...ofTurn, call_id: string };

const SHAPES: { readonly [T in EventType]: Shape<EventData[T]> } = {
  session_started: { app_version: string, permission_mode: string, fork_root_session_id: string },
  session_fork: { parent_session_id: string, fork_root_session_id: string, forked_to_seq: number },
  developer_context: { workspace: nullable(string), branch: nullable(string), permission_mode: string },
  user_message: { ...ofPrompt, attachments: list(attachment), tools: optional(string) },
  assistant_message: {
    ...ofStream,
    text: string,
    metadata: object<MessageMetadata>({ partial: boolean }),
    phase: optional(string),
    output_index: optional(number),
    output_count: optional(number),
    pending_calls: optional(list(string)),
    open_children: optional(list(string)),
  },
  reasoning: {
    ...ofStream,
    item: present,
    model: string,
    endpoint: missable(string),
    thought_ms: optional(number),
  },
  tool_call: { ...ofStream, call_id: string, name: string, args: string },
  tool_result: {
    ...ofCall,
    ok: boolean,
    output: optional(string),
    error: optional(toolError),
    delivers: optional(list(object<Delivery>({ subagent_id: string, seq: number }))),
    attachments: optional(list(attachment)),
  },
  tool_call_status: {
    ...ofCall,
    from: oneOf(CALL_MOVES),
    to: oneOf(CALL_MOVES),
    suspension: optional(suspension),
    process: optional(process),
  },
  tool_call_decision: {
    decision_id: string,
    target_id: string,
    call_id: optional(string),
    action: string,
    resume_mode: optional(string),
    reason: optional(string),
    rule: optional(string),
  },
  run_status: { ...ofTurn, status: oneOf(RUN_MOVES), elapsed_ms: optional(number) },
  permission_decision: { call_id: string, decision: string },
  file_change: {
    call_id: string,
    path: string,
    before_sha256: missable(nullable(string)),
    after_sha256: missable(nullable(string)),
    before_blob: missable(nullable(string)),
    undo_of: optional(list(string)),
    redo_of: optional(list(string)),
    before_mode: optional(number),
    made_folders: optional(list(string)),
  },
  provider_usage: {
    purpose: optional(string),
    model: string,
    endpoint: optional(string),
    tokens: object<TokenCounts>({ total: nullable(number) }),
    prompt_contract_version: missable(string),
    prompt_cache_key: missable(string),
  },
  turn_failed: {
    ...ofTurn,
    terminal_status: oneOf(TERMINAL),
    error_kind: string,
    error_message: string,
    interrupted_reason: optional(string),
    next_actions: missable(list(nextAction)),
  },
  interruption_note: {
    ...ofTurn,
    of_turn_id: string,
    reason: string,
    excerpt: string,
    completed_calls: list(string),
  },
  skill_activation: { name: string, content: string },
  history_compaction: {
    range: object<Range>({ from_seq: number, to_seq: number }),
    tail_from_seq: number,
    keeps: optional(list(number)),
    summary: string,
    limitations: list(string),
  },
  branch_summary: { summary: string, limitations: list(string) },
  subagent_event: {
    event: string,
    subagent_id: string,
    child_session_id: missable(string),
    status: string,
    agent: optional(string),
    task: optional(string),
    depth: optional(number),
    summary: optional(string),
    reason: optional(nullable(string)),
    timeout_ms: optional(number),
    permission_mode: optional(string),
    workflow_id: optional(string),
    step_id: optional(string),
    of_seq: optional(number),
  },
  workflow_event: { event: string, workflow_id: string },
  diagnostic: { code: string, message: string },
};

type Range = EventData['history_compaction']['range'];

/** Which turn an event belongs to is asked of every event, also of those that need not belong to one. */
const FIELDS = new Map<string, Fields>(
  Object.entries(SHAPES).map(([type, shape]) => [type, fieldsOf({ turn_id: optional(string), ...shape })]),
);

export type ParsedLine =
  | { readonly ok: true; readonly event: LogEvent }
  | { readonly ok: false; readonly reason: string };

type Raw = Record<string, unknown>;

/** Brings a line of an older version up to the next one. The file itself is never rewritten. */
const UPCASTS: Readonly<Record<number, (raw: Raw) => Raw>> = {
  // Version 0, before the first release, wrote `ts` as milliseconds since 1970.
  0: (raw) => ({
    ...raw,
    v: 1,
    ts: typeof raw['ts'] === 'number' ? isoTime(raw['ts']) : raw['ts'],
  }),
};

/** Undefined for a number that is no time: the line is then damaged, not fatal. */
function isoTime(ms: number): string | undefined {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

export function parseLine(line: string): ParsedLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { ok: false, reason: 'not valid JSON' };
  }
  if (!isRaw(value)) return { ok: false, reason: 'not a JSON object' };
  return checkEvent(value);
}

/** A parsed line, checked and brought up to the present version. */
export function checkEvent(value: Raw): ParsedLine {
  let raw = value;
  while (typeof raw['v'] === 'number' && raw['v'] < SCHEMA_VERSION) {
    const upcast = UPCASTS[raw['v']];
    if (upcast === undefined) return { ok: false, reason: `version ${raw['v']} is not known` };
    raw = upcast(raw);
  }
  const { v, seq, type, data } = raw;
  if (typeof v !== 'number') return { ok: false, reason: 'no version' };
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0)
    return { ok: false, reason: 'no seq' };
  if (
    typeof raw['id'] !== 'string' ||
    typeof raw['session_id'] !== 'string' ||
    typeof raw['ts'] !== 'string'
  ) {
    return { ok: false, reason: 'id, session_id or ts is missing' };
  }
  if (typeof type !== 'string') return { ok: false, reason: 'no type' };
  const fields = v === SCHEMA_VERSION ? FIELDS.get(type) : undefined;
  if (fields === undefined) {
    const original_type = type;
    return {
      ok: true,
      event: { ...(raw as unknown as LogEvent), type: 'unknown', data: { original_type, original: data } },
    };
  }
  if (!isRaw(data)) return { ok: false, reason: `${type} has no data` };
  for (const [field, { wanted, fits }] of fields) {
    if (!fits(data[field]) && !isHead(data, field))
      return { ok: false, reason: `${type}.${field} is not ${wanted}` };
  }
  // The envelope and every field that something reads have been checked above.
  return { ok: true, event: raw as unknown as LogEvent };
}

/** The line of an event; an unknown one is written as it was read. */
export function toLine(event: LogEvent): string {
  if (event.type !== 'unknown') return JSON.stringify(event);
  return JSON.stringify({ ...event, type: event.data.original_type, data: event.data.original });
}

/**
 * A large body is in a blob until storage puts it in place; of an object, the line then has `{}`, and says
 * so in `blob_bodies`. What is put in place is checked as a whole.
 */
function isHead(data: Raw, field: string): boolean {
  const { [field]: value, blob_bodies: bodies } = data;
  if (!isRaw(value) || Object.keys(value).length > 0 || !Array.isArray(bodies)) return false;
  return bodies.some((body: unknown) => isRaw(body) && body['field'] === field);
}
