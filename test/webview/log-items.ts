import type { HostMessage, Item } from '../../src/presenter/protocol.ts';
import type { CallEntry } from '../../webview/call-entry.ts';
import { oneOfEach } from '../support/made-events.ts';
import type { Told } from '../../webview/state.ts';
import { foldItems, type Turn } from '../../webview/transcript.ts';

export const TS = '2026-01-02T03:04:05.678Z';

export function item(seq: number, type: string, data: Record<string, unknown>): Item {
  return { seq, ts: TS, type, turn_id: 't1', data: { turn_id: 't1', ...data } };
}

export function prompt(seq: number, text = 'hello'): Item {
  return item(seq, 'user_message', { text, client_turn_id: 'c1', attachments: [] });
}

export function answer(seq: number, text: string, more: Record<string, unknown> = {}): Item {
  return item(seq, 'assistant_message', { text, stream_run_id: 's1', metadata: { partial: false }, ...more });
}

export function call(seq: number, call_id = 'call_1'): Item {
  return item(seq, 'tool_call', {
    call_id,
    name: 'read_file',
    args: '{"path":"src/login.ts"}',
    stream_run_id: 's1',
  });
}

/** The call begins to wait; the suspension is named after it. */
export function suspended(seq: number, more: Record<string, unknown> = {}, call_id = 'call_1'): Item {
  const suspension = {
    id: `p_${call_id}`,
    reason: 'approval',
    message: '',
    resume_mode: 'replay_tool_call',
    parameters: {},
    ...more,
  };
  return item(seq, 'tool_call_status', { call_id, from: 'new', to: 'suspended', suspension });
}

export function moved(seq: number, from: string, to: string, call_id = 'call_1'): Item {
  return item(seq, 'tool_call_status', { call_id, from, to });
}

export function decision(seq: number, more: Record<string, unknown> = {}, call_id = 'call_1'): Item {
  return item(seq, 'tool_call_decision', {
    decision_id: `d${seq}`,
    target_id: `p_${call_id}`,
    call_id,
    action: 'resume',
    decided_by: 'user',
    ...more,
  });
}

export function permission(seq: number, more: Record<string, unknown>, call_id = 'call_1'): Item {
  return item(seq, 'permission_decision', { ...oneOfEach().permission_decision.data, call_id, ...more });
}

export function result(seq: number, call_id = 'call_1'): Item {
  return item(seq, 'tool_result', { call_id, ok: true, output: 'text', duration_ms: 120 });
}

export function failed(seq: number, terminal_status: string): Item {
  return item(seq, 'turn_failed', {
    terminal_status,
    error_kind: 'stream_cut',
    error_message: 'The stream ended.',
    details: {},
    next_actions: [{ label: 'Try again', command: 'ledgerline.retryTurn' }],
  });
}

type Snapshot = Extract<HostMessage, { type: 'snapshot' }>;

export function snapshot(items: readonly Item[], more: Partial<Snapshot> = {}): Snapshot {
  return {
    v: 1,
    type: 'snapshot',
    session_id: 'one',
    title: '',
    access: { kind: 'writer' },
    items: [...items],
    first_seq: items[0]?.seq ?? null,
    last_seq: items.at(-1)?.seq ?? null,
    has_more: false,
    stream: null,
    settings: { provider: 'openai', model: 'gpt-5.4', mode: 'ask' },
    ...more,
  };
}

/** What the host told of a turn. */
export function toldOfTurn(state: Told['state'], more: Partial<Told> = {}): Told {
  return {
    turn_id: 't1',
    state,
    message: '',
    actions: [],
    activity: null,
    pending: [],
    evidence: null,
    ...more,
  };
}

/** Of a log that this window only reads. */
export function readOnly(reason: 'damaged' | 'failed', message: string): Snapshot['access'] {
  return { kind: 'read_only', reason, message, next_actions: [] };
}

export function append(items: readonly Item[]): HostMessage {
  return { v: 1, type: 'append', session_id: 'one', items: [...items] };
}

export function delta(text: string, kind: 'text' | 'reasoning' = 'text'): HostMessage {
  return { v: 1, type: 'delta', turn_id: 't1', stream_run_id: 's1', kind, text };
}

type TurnState = Extract<HostMessage, { type: 'turn_state' }>;

export function turnState(state: TurnState['state'], more: Partial<TurnState> = {}): TurnState {
  return {
    v: 1,
    type: 'turn_state',
    turn_id: 't1',
    client_turn_id: 'c1',
    state,
    reason: null,
    next_actions: [],
    ...more,
  };
}

export function failure(
  what: string,
  message: string,
  kind = 'refused',
): Extract<HostMessage, { type: 'failure' }> {
  return { v: 1, type: 'failure', for: what, kind, message, next_actions: [] };
}

export function toolState(more: Partial<Extract<HostMessage, { type: 'tool_state' }>> = {}): HostMessage {
  return {
    v: 1,
    type: 'tool_state',
    turn_id: 't1',
    call_id: 'call_1',
    name: 'read_file',
    state: 'suspended',
    ...more,
  };
}

export function turnOf(items: readonly Item[]): Turn {
  const [block] = foldItems(items);
  if (block?.kind !== 'turn') throw new Error('no turn');
  return block;
}

export function callOf(items: readonly Item[]): CallEntry {
  const entry = turnOf(items).entries.find((one) => one.kind === 'call');
  if (entry === undefined) throw new Error('no call');
  return entry;
}
