import { SCHEMA_VERSION, type EventData, type EventType, type LogEvent } from './events.ts';

/**
 * One line of a log, read. Lines are outside data, but they are read by the hundred thousand: the check is
 * a table over the fields that folds rely on, compiled once, not a schema library (see
 * docs/decisions). Fields the table does not name are kept as they are.
 */

type Kind = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'any';

const SHAPES: { readonly [T in EventType]: { readonly [K in keyof EventData[T]]?: Kind } } = {
  session_started: { app_version: 'string', permission_mode: 'string', fork_root_session_id: 'string' },
  session_fork: { parent_session_id: 'string', fork_root_session_id: 'string', forked_to_seq: 'number' },
  developer_context: { permission_mode: 'string' },
  user_message: { turn_id: 'string', text: 'string', client_turn_id: 'string', attachments: 'array' },
  assistant_message: { turn_id: 'string', stream_run_id: 'string', text: 'string', metadata: 'object' },
  reasoning: { turn_id: 'string', stream_run_id: 'string', item: 'any', model: 'string' },
  tool_call: {
    turn_id: 'string',
    stream_run_id: 'string',
    call_id: 'string',
    name: 'string',
    args: 'string',
  },
  tool_result: { turn_id: 'string', call_id: 'string', ok: 'boolean' },
  tool_call_status: { turn_id: 'string', call_id: 'string', from: 'string', to: 'string' },
  tool_call_decision: { decision_id: 'string', target_id: 'string', action: 'string' },
  run_status: { turn_id: 'string', status: 'string' },
  permission_decision: { call_id: 'string', decision: 'string' },
  file_change: { call_id: 'string', path: 'string' },
  provider_usage: { turn_id: 'string', model: 'string', tokens: 'object' },
  turn_failed: {
    turn_id: 'string',
    terminal_status: 'string',
    error_kind: 'string',
    error_message: 'string',
  },
  interruption_note: { of_turn_id: 'string', reason: 'string', excerpt: 'string', completed_calls: 'array' },
  skill_activation: { name: 'string', content: 'string' },
  history_compaction: { range: 'object', tail_from_seq: 'number', summary: 'string', limitations: 'array' },
  branch_summary: { summary: 'string', limitations: 'array' },
  subagent_event: { event: 'string', subagent_id: 'string', status: 'string' },
  workflow_event: { event: 'string', workflow_id: 'string' },
  diagnostic: { code: 'string', message: 'string' },
};

const FIELDS = new Map<string, readonly (readonly [string, Kind])[]>(
  Object.entries(SHAPES).map(([type, shape]) => [type, Object.entries(shape)]),
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
  for (const [field, kind] of fields) {
    if (!isKind(data[field], kind))
      return { ok: false, reason: `${type}.${field} is not ${kind === 'any' ? 'there' : `a ${kind}`}` };
  }
  // The envelope and every field that folds read have been checked above.
  return { ok: true, event: raw as unknown as LogEvent };
}

/** The line of an event; an unknown one is written as it was read. */
export function toLine(event: LogEvent): string {
  if (event.type !== 'unknown') return JSON.stringify(event);
  return JSON.stringify({ ...event, type: event.data.original_type, data: event.data.original });
}

function isRaw(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRaw(value);
    case 'any':
      return value !== undefined;
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === kind;
  }
}
