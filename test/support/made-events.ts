import {
  SCHEMA_VERSION,
  type EventData,
  type EventType,
  type KnownEvent,
  type LogEvent,
  type UnknownEvent,
} from '../../src/runtime/events.ts';

/** An event as a log would hold it, for folds that are tested without a session. */
export function made<T extends EventType>(type: T, seq: number, data: EventData[T]): KnownEvent<T> {
  return {
    v: SCHEMA_VERSION,
    id: `event_${seq}`,
    session_id: 's1',
    seq,
    ts: '2026-01-01T00:00:00.000Z',
    type,
    data,
  };
}

export function unknown(seq: number, original_type: string, original: unknown): UnknownEvent {
  return {
    v: 2,
    id: `event_${seq}`,
    session_id: 's1',
    seq,
    ts: '2026-01-01T00:00:00.000Z',
    type: 'unknown',
    data: { original_type, original },
  };
}

/** One event of every type there is. A new type that is not named here does not compile. */
export function oneOfEach(): { readonly [T in EventType]: KnownEvent<T> } {
  const turn_id = 't1';
  const stream_run_id = 'r1';
  const place = { turn_id, stream_run_id, output_index: 0, output_count: 1 };
  const call_id = 'c1';
  const data: EventData = {
    session_started: {
      workspace: '/w',
      app_version: '0',
      prompt_contract_version: 'll1',
      permission_mode: 'ask',
      fork_root_session_id: 's1',
    },
    session_fork: {
      parent_session_id: 's0',
      fork_root_session_id: 's0',
      forked_to_seq: 3,
      replay_event_count: 2,
    },
    developer_context: { workspace: '/w', branch: 'main', permission_mode: 'ask' },
    user_message: { turn_id, text: 'hello', client_turn_id: 'k1', attachments: [] },
    assistant_message: { ...place, text: 'hi', metadata: { partial: false } },
    reasoning: { ...place, item: { type: 'reasoning' }, model: 'm', endpoint: 'e' },
    tool_call: { ...place, call_id, name: 'read', args: '{}' },
    tool_result: { turn_id, call_id, ok: true, output: 'out', duration_ms: 1 },
    tool_call_status: { turn_id, call_id, from: 'new', to: 'running' },
    tool_call_decision: {
      turn_id,
      decision_id: 'd1',
      target_id: call_id,
      action: 'resume',
      decided_by: 'user',
    },
    run_status: { turn_id, status: 'running' },
    permission_decision: {
      turn_id,
      call_id,
      decision: 'allow',
      decided_by: 'policy',
      rule: null,
      scope: 'call',
      sub_commands: [],
    },
    file_change: {
      turn_id,
      call_id,
      path: 'a.ts',
      before_sha256: null,
      after_sha256: 'f00',
      before_blob: null,
      created: true,
      deleted: false,
    },
    provider_usage: usage({ turn_id, stream_run_id }),
    turn_failed: {
      turn_id,
      terminal_status: 'failed',
      error_kind: 'auth',
      error_message: 'no',
      details: {},
      next_actions: [],
    },
    interruption_note: {
      turn_id,
      of_turn_id: 't0',
      reason: 'superseded',
      excerpt: 'half',
      completed_calls: ['read'],
    },
    skill_activation: {
      turn_id,
      name: 'review',
      path: 'skills/review',
      content_hash: 'f00',
      content: 'Look twice.',
      activated_by: 'model',
    },
    history_compaction: {
      trigger: 'manual',
      strategy: 'deterministic_v1',
      range: { from_seq: 0, to_seq: 3 },
      tail_from_seq: 4,
      summary: 'It began.',
      limitations: ['Details are gone.'],
    },
    branch_summary: {
      parent_session_id: 's0',
      forked_to_seq: 3,
      summary: 'Another way.',
      files_touched: [],
      open_tasks: [],
      limitations: ['Details are gone.'],
    },
    subagent_event: { event: 'started', subagent_id: 'a1', child_session_id: 's2', status: 'running' },
    workflow_event: { event: 'workflow_started', workflow_id: 'w1' },
    diagnostic: { code: 'odd', message: 'Odd.', details: {}, next_actions: [] },
  };
  const events = Object.entries(data).map(([type, value], seq) => [
    type,
    made(type as EventType, seq, value as EventData[EventType]),
  ]);
  return Object.fromEntries(events) as { readonly [T in EventType]: KnownEvent<T> };
}

export function usage(
  more: Pick<EventData['provider_usage'], 'turn_id' | 'stream_run_id'> & Partial<EventData['provider_usage']>,
): EventData['provider_usage'] {
  return {
    model: 'm1',
    transport: 'offline',
    iteration: 1,
    tokens: { input: 10, cached: 0, output: 1, reasoning: 0, total: 11 },
    cache_hit_rate: 0,
    prompt_contract_version: 'll1',
    prompt_cache_key: 'key',
    toolset_hash: 't',
    skill_index_hash: 'k',
    session_family_hash: 's',
    continuation: { attempted: false, used: false, reset_reason: null },
    context: { window_tokens: null, ratio: null, tier: 'unknown' },
    output_truncation: 'not_truncated',
    time_to_first_token_ms: 1,
    total_ms: 2,
    attempts: 1,
    response_id: null,
    ...more,
  };
}

/** A turn in three events: its prompt, which is its name, its answer, and what is on record of its request. */
export function madeTurn(
  name: string,
  more: Partial<EventData['provider_usage']> = {},
): readonly [KnownEvent<'user_message'>, KnownEvent<'assistant_message'>, KnownEvent<'provider_usage'>] {
  const { user_message, assistant_message } = oneOfEach();
  const stream = { turn_id: name, stream_run_id: name };
  return [
    made('user_message', 0, { ...user_message.data, turn_id: name, text: name }),
    made('assistant_message', 0, { ...assistant_message.data, ...stream }),
    made('provider_usage', 0, usage({ ...stream, ...more })),
  ];
}

/** What a provider that counts everything has on record of a request. */
export const COUNTED = {
  transport: 'websocket',
  tokens: { input: 1200, cached: 900, output: 10, reasoning: 4, total: 1210, cache_write: 60 },
  cache_hit_rate: 0.75,
  continuation: { attempted: true, used: false, reset_reason: 'previous_response_not_found' },
  context: {
    window_tokens: 1500,
    ratio: 0.8,
    tier: 'warning',
    parts: { instructions: 400, tools: 600, skills: 0, history: 40, tool_output: 0 },
  },
  cache_diagnostics: { type: 'cache_miss', reason: 'tools_changed', missed_tokens: 300 },
} satisfies Partial<EventData['provider_usage']>;

export function numbered(events: readonly LogEvent[]): readonly LogEvent[] {
  return events.map((event, seq) => ({ ...event, seq }));
}
