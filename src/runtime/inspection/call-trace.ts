import type { KnownEvent } from '../events.ts';
import type { CallState } from '../machines.ts';
import { field, parsed, wordsOrNull } from '../loose-fields.ts';
import { oneLine } from './one-line.ts';

/** What the log says of one call, with the seq of each fact. Of a size that does not grow with its output. */
export interface CallTrace {
  readonly call_id: string;
  readonly name: string;
  /** What it acts on, in a few words. */
  readonly subject: string;
  readonly stream_run_id: string;
  readonly seq: number;
  readonly state: CallState;
  /** The event that says so. */
  readonly state_seq: number;
  readonly suspension: { readonly seq: number; readonly reason: string; readonly message: string } | null;
  readonly started_seq: number | null;
  readonly permission: Verdict | null;
  readonly decision: Verdict | null;
  readonly result: {
    readonly seq: number;
    readonly ok: boolean;
    readonly kind: string | null;
    readonly message: string | null;
    readonly duration_ms: number;
  } | null;
  readonly files: readonly { readonly seq: number; readonly path: string }[];
}

interface Verdict {
  readonly seq: number;
  readonly what: string;
  readonly by: string;
}

const FILES_KEPT = 20;
/** A workflow is named inside of its own object, or by the id of the one that is to go on. */
const SUBJECTS = [
  'path',
  'command',
  'pattern',
  'question',
  'task',
  'glob',
  'name',
  'template',
  'id',
  'resume',
];

export type CallEvent = KnownEvent<
  'tool_call_status' | 'tool_result' | 'permission_decision' | 'tool_call_decision' | 'file_change'
>;

export function beginCall({ seq, data }: KnownEvent<'tool_call'>): CallTrace {
  const { call_id, name, args, stream_run_id } = data;
  return {
    call_id,
    name,
    subject: subjectOf(args),
    stream_run_id,
    seq,
    state: 'new',
    state_seq: seq,
    suspension: null,
    started_seq: null,
    permission: null,
    decision: null,
    result: null,
    files: [],
  };
}

/** Pure: the call after one more event of it. */
export function applyToCall(call: CallTrace, event: CallEvent): CallTrace {
  const { seq } = event;
  switch (event.type) {
    case 'tool_call_status': {
      const { to, suspension } = event.data;
      const asked = to === 'suspended' && suspension !== undefined ? suspension : null;
      return {
        ...call,
        state: to,
        state_seq: seq,
        suspension:
          asked === null ? null : { seq, reason: asked.reason, message: oneLine(asked.message, 300) },
        started_seq: to === 'running' ? seq : call.started_seq,
      };
    }
    case 'tool_result': {
      const { ok, error, duration_ms } = event.data;
      if (call.result !== null) return call;
      const kind = error?.kind ?? null;
      const message = error === undefined ? null : oneLine(error.message, 300);
      const took = typeof duration_ms === 'number' ? duration_ms : 0;
      return { ...call, result: { seq, ok, kind, message, duration_ms: took } };
    }
    case 'permission_decision': {
      const { decision: what, rule } = event.data;
      const by = typeof rule === 'string' && rule !== '' ? rule : decider(event.data);
      return { ...call, permission: { seq, what, by } };
    }
    case 'tool_call_decision': {
      const { action: what } = event.data;
      return { ...call, decision: { seq, what, by: decider(event.data) } };
    }
    case 'file_change': {
      if (call.files.length >= FILES_KEPT) return call;
      return { ...call, files: [...call.files, { seq, path: event.data.path }] };
    }
  }
}

function decider(data: object): string {
  return wordsOrNull(data, 'decided_by') ?? 'unknown';
}

function subjectOf(args: string): string {
  const value = parsed(args);
  return subjectIn(value) || subjectIn(field(value, 'workflow'));
}

function subjectIn(value: unknown): string {
  const found = SUBJECTS.map((name) => wordsOrNull(value, name)).find((words) => words !== null);
  return oneLine(found ?? '');
}
