import type { HostMessage, Item } from '../../src/presenter/protocol.ts';

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

export function append(items: readonly Item[]): HostMessage {
  return { v: 1, type: 'append', session_id: 'one', items: [...items] };
}

export function delta(text: string, kind: 'text' | 'reasoning' = 'text'): HostMessage {
  return { v: 1, type: 'delta', turn_id: 't1', stream_run_id: 's1', kind, text };
}

export function turnState(state: Extract<HostMessage, { type: 'turn_state' }>['state']): HostMessage {
  return {
    v: 1,
    type: 'turn_state',
    turn_id: 't1',
    client_turn_id: 'c1',
    state,
    reason: null,
    next_actions: [],
  };
}
