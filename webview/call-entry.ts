import type { Item } from '../src/presenter/protocol.ts';
import { isTrueIn, listIn, numberIn, recordIn, stringIn } from './fields.ts';
import { t } from './l10n.ts';
import { suspensionOf, type Suspension } from './suspension.ts';

/** One call as the log tells it: a fold of the items that name it. */

export interface CallResult {
  readonly seq: number;
  readonly ok: boolean;
  readonly output: string;
  readonly error: { readonly kind: string; readonly message: string } | null;
  readonly duration_ms: number;
  /** The log holds more than is shown. */
  readonly cut: boolean;
  /** What the model was shown with it. */
  readonly images: readonly SeenImage[];
}

export interface SeenImage {
  readonly name: string;
  readonly sha256: string;
}

/** What was decided about a call that waited, by a person or for them. */
export interface CallDecision {
  readonly action: string;
  readonly resume_mode: string;
  readonly reason: string;
  readonly decided_by: string;
  readonly rule: string;
  /** What the call had asked for; empty when the decision came before the question. */
  readonly asked: string;
  /** The call has moved on since. */
  readonly carried_out: boolean;
}

/** What the rules and the mode said about a call. */
export interface Permission {
  readonly decision: string;
  readonly decided_by: string;
  readonly rule: string;
}

export interface CallEntry {
  readonly kind: 'call';
  readonly seq: number;
  readonly ts: string;
  readonly call_id: string;
  readonly stream_run_id: string;
  readonly name: string;
  readonly args: string;
  /** The log holds more of the arguments than is shown. */
  readonly args_cut: boolean;
  readonly state: string;
  /** The last one, also after the call moved on. */
  readonly suspension: Suspension | null;
  readonly permissions: readonly Permission[];
  readonly decisions: readonly CallDecision[];
  readonly result: CallResult | null;
}

export function newCall({ seq, ts, data }: Item): CallEntry {
  return {
    kind: 'call',
    seq,
    ts,
    call_id: stringIn(data, 'call_id') ?? '',
    stream_run_id: stringIn(data, 'stream_run_id') ?? '',
    name: stringIn(data, 'name') ?? 'unknown',
    args: stringIn(data, 'args') ?? '',
    args_cut: isCut(data, 'args'),
    state: 'new',
    suspension: null,
    permissions: [],
    decisions: [],
    result: null,
  };
}

/** Pure: a call after one more item about it. */
export function applyToCall(call: CallEntry, { seq, type, data }: Item): CallEntry {
  switch (type) {
    case 'tool_result':
      return { ...call, result: resultOf(seq, data) };
    case 'tool_call_status':
      return moved(call, data);
    case 'tool_call_decision':
      return { ...call, decisions: [...call.decisions, decisionOf(call, data)] };
    case 'permission_decision':
      return { ...call, permissions: [...call.permissions, permissionOf(data)] };
    default:
      return call;
  }
}

/** A decision is carried out when its call stops waiting; one that came early is still to be. */
function moved(call: CallEntry, data: Item['data']): CallEntry {
  const state = stringIn(data, 'to') ?? call.state;
  const leaves = call.state === 'suspended' && state !== 'suspended';
  return {
    ...call,
    state,
    suspension: suspensionOf(data.suspension) ?? call.suspension,
    decisions: leaves ? call.decisions.map((one) => ({ ...one, carried_out: true })) : call.decisions,
  };
}

/** The decision that a call still has to act on. */
export function openDecision(call: CallEntry): CallDecision | null {
  const last = call.decisions.at(-1);
  return last === undefined || last.carried_out ? null : last;
}

function decisionOf(call: CallEntry, data: Item['data']): CallDecision {
  return {
    action: stringIn(data, 'action') ?? '',
    resume_mode: stringIn(data, 'resume_mode') ?? '',
    reason: stringIn(data, 'reason') ?? '',
    decided_by: stringIn(data, 'decided_by') ?? '',
    rule: stringIn(data, 'rule') ?? '',
    asked: call.state === 'suspended' ? (call.suspension?.reason ?? '') : '',
    carried_out: false,
  };
}

function permissionOf(data: Item['data']): Permission {
  return {
    decision: stringIn(data, 'decision') ?? '',
    decided_by: stringIn(data, 'decided_by') ?? '',
    rule: stringIn(data, 'rule') ?? '',
  };
}

function resultOf(seq: number, data: Item['data']): CallResult {
  const error = recordIn(data, 'error');
  return {
    seq,
    ok: isTrueIn(data, 'ok'),
    output: stringIn(data, 'output') ?? '',
    error:
      error === undefined
        ? null
        : { kind: stringIn(error, 'kind') ?? 'error', message: stringIn(error, 'message') ?? '' },
    duration_ms: numberIn(data, 'duration_ms') ?? 0,
    cut: isCut(data, 'output'),
    images: listIn(data, 'attachments').flatMap((one) => {
      const sha256 = stringIn(one, 'sha256');
      return sha256 === undefined ? [] : [{ name: stringIn(one, 'label') ?? t('image'), sha256 }];
    }),
  };
}

/** The host shortens long texts and says how long they were, or puts them in a file of their own. */
export function isCut(data: Readonly<Record<string, unknown>>, key: string): boolean {
  return data.blob !== undefined || data[`${key}_length`] !== undefined;
}
