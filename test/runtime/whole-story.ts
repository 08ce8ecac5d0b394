import type { Attachment, Draft, EventData, EventType, LogEvent } from '../../src/runtime/events.ts';
import { made } from '../support/made-events.ts';

/** With every field that the vocabulary has, at every depth: a new one that is not named does not compile. */
type Whole<V> = V extends readonly (infer E)[]
  ? readonly Whole<E>[]
  : V extends object
    ? { readonly [K in keyof V]-?: Whole<V[K]> }
    : V;

const turn = { turn_id: 't1', client_turn_id: 'k1', stream_run_id: 'r1' };
const first = { ...turn, output_index: 0, output_count: 3 };
const next_actions = [{ label: 'Try again', command: 'ledgerline.retryTurn', args: ['t1'] }];

function attached(kind: string): Whole<Attachment> {
  const found = { sha256: 'f00', bytes: 5, truncated: false, unsaved: false };
  const lines = { start_line: 1, end_line: 2 };
  return {
    kind,
    label: 'A',
    path: 'a',
    text: 'words',
    mime: 'image/png',
    data: 'aW1hZ2U=',
    ...lines,
    ...found,
  };
}

const WHOLE: { readonly [T in EventType]: Whole<EventData[T]> } = {
  session_started: {
    ...turn,
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
  developer_context: { ...turn, workspace: '/w', branch: 'main', permission_mode: 'ask' },
  user_message: {
    ...turn,
    text: 'hello',
    attachments: [attached('image'), attached('file')],
    blob: 'f00',
  },
  assistant_message: {
    ...first,
    output_index: 2,
    text: 'hi',
    phase: 'final',
    pending_calls: ['c0'],
    blob: 'f00',
    metadata: {
      partial: false,
      interrupted: false,
      interrupted_reason: 'disconnect',
      client_turn_id: 'k1',
      finished_reason: 'stop',
      token_estimate: 1,
      terminal_status: 'failed',
      error_kind: 'auth',
      output_truncation: 'unknown',
    },
  },
  reasoning: {
    ...first,
    item: { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }] },
    model: 'm1',
    endpoint: 'e1',
    blob: 'f00',
  },
  tool_call: { ...first, output_index: 1, call_id: 'c1', name: 'read', args: '{}', blob: 'f00' },
  tool_result: {
    ...turn,
    call_id: 'c1',
    ok: false,
    output: 'out',
    error: { kind: 'failed', message: 'No.', details: { a: 1 } },
    duration_ms: 1,
    blob: 'f00',
  },
  tool_call_status: {
    ...turn,
    call_id: 'c1',
    from: 'new',
    to: 'suspended',
    suspension: {
      id: 'p1',
      reason: 'outcome_unknown',
      message: 'Whether it finished is unknown.',
      parameters: { name: 'read' },
      response_schema: {},
      resume_mode: 'replay_tool_call',
      resume_modes: ['use_decision_as_result'],
    },
    process: { pid: 1, group: 1, started_at: '2026-01-01T00:00:00.000Z' },
  },
  tool_call_decision: {
    ...turn,
    decision_id: 'd1',
    target_id: 'c1',
    call_id: 'c1',
    action: 'resume',
    resume_mode: 'use_decision_as_result',
    result: {},
    reason: 'because',
    decided_by: 'user',
    rule: 'r',
  },
  run_status: { ...turn, status: 'waiting', reason: 'suspended', code: 'timeout' },
  permission_decision: {
    ...turn,
    call_id: 'c1',
    decision: 'allow',
    decided_by: 'policy',
    rule: 'r',
    scope: 'call',
    sub_commands: ['ls'],
  },
  file_change: {
    ...turn,
    call_id: 'c1',
    path: 'a.ts',
    before_sha256: 'f00',
    after_sha256: 'f00',
    before_blob: 'f00',
    created: true,
    deleted: false,
    added: 1,
    removed: 0,
    undo_of: ['c0'],
  },
  provider_usage: {
    ...turn,
    model: 'm1',
    endpoint: 'e1',
    transport: 'offline',
    iteration: 1,
    tokens: { input: 10, cached: 0, output: 1, reasoning: 0, total: 11 },
    cache_hit_rate: 0,
    prompt_contract_version: 'll1',
    prompt_cache_key: 'key',
    toolset_hash: 't',
    skill_index_hash: 'k',
    session_family_hash: 's',
    continuation: { attempted: false, used: false, reset_reason: 'none' },
    context: { window_tokens: 100, ratio: 0.1, tier: 'none' },
    output_truncation: 'truncated',
    time_to_first_token_ms: 1,
    total_ms: 2,
    attempts: 1,
    response_id: 'resp_1',
  },
  turn_failed: {
    ...turn,
    terminal_status: 'interrupted',
    error_kind: 'disconnect',
    error_message: 'no',
    interrupted_reason: 'disconnect',
    timeout_ms: 1,
    elapsed_ms: 1,
    details: {},
    next_actions,
  },
  interruption_note: {
    ...turn,
    of_turn_id: 't0',
    reason: 'superseded',
    excerpt: 'half',
    completed_calls: ['read'],
  },
  skill_activation: {
    ...turn,
    name: 'review',
    path: 'skills/review',
    content_hash: 'f00',
    content: 'Look twice.',
    activated_by: 'model',
    blob: 'f00',
  },
  history_compaction: {
    trigger: 'manual',
    strategy: 'deterministic_v1',
    range: { from_seq: 0, to_seq: 1 },
    tail_from_seq: 4,
    summary: 'It began.',
    limitations: ['Details are gone.'],
    event_counts: {},
    tool_calls: [],
    files_touched: ['a'],
    open_tasks: ['b'],
    decisions: [],
    skills_dropped: ['c'],
    tokens_before: 2,
    tokens_after: 1,
    blob: 'f00',
  },
  branch_summary: {
    parent_session_id: 's0',
    forked_to_seq: 3,
    summary: 'Another way.',
    files_touched: ['a'],
    open_tasks: ['b'],
    limitations: ['Details are gone.'],
    blob: 'f00',
  },
  subagent_event: {
    turn_id: 't1',
    event: 'delivered',
    subagent_id: 'a1',
    child_session_id: 's2',
    status: 'running',
    agent: 'a',
    task: 'b',
    depth: 1,
    summary: 'Found it.',
    checkpoint: {},
    reason: 'c',
    timeout_ms: 1,
    elapsed_ms: 1,
    deadline_at: '2026-01-01T00:00:00.000Z',
    retry_history: [],
    next_actions,
  },
  workflow_event: { turn_id: 't1', event: 'step', workflow_id: 'w1', step_id: 's', status: 'running' },
  diagnostic: { ...turn, code: 'odd', message: 'Odd.', details: {}, next_actions },
};

const { tool_call, tool_result, assistant_message } = WHOLE;

/** A turn that has every event there is, each where its folds look at it. */
const ORDER: readonly (EventType | Draft)[] = [
  'session_started',
  'session_fork',
  'developer_context',
  'branch_summary',
  'interruption_note',
  'user_message',
  'skill_activation',
  'workflow_event',
  'diagnostic',
  'reasoning',
  'tool_call',
  { type: 'tool_call', data: { ...tool_call, call_id: 'c2' } },
  'provider_usage',
  'permission_decision',
  'tool_call_status',
  'subagent_event',
  'run_status',
  'tool_call_decision',
  { type: 'tool_result', data: { ...tool_result, call_id: 'c2', ok: true } },
  'tool_result',
  'file_change',
  'assistant_message',
  { type: 'assistant_message', data: { ...assistant_message, metadata: { partial: true } } },
  'history_compaction',
  'turn_failed',
];

export const WHOLE_STORY: readonly LogEvent[] = ORDER.map((entry, seq) => {
  const { type, data } = typeof entry === 'string' ? { type: entry, data: WHOLE[entry] } : entry;
  return made(type, seq, data);
});
