import type { HostMessage, Item } from '../../../src/presenter/protocol.ts';
import { snapshot, turnState } from './view-scenes.ts';

/** What a turn did, as messages of a host: to do all of it would take too long. */

const TS = '2026-01-02T03:04:05.678Z';
const PATH = 'src/session/login-client.ts';

function item(seq: number, type: string, data: Record<string, unknown>): Item {
  return { seq, ts: TS, type, turn_id: 't1', data: { turn_id: 't1', stream_run_id: 's1', ...data } };
}

function call(seq: number, call_id: string, name: string, args: object): Item {
  return item(seq, 'tool_call', { call_id, name, args: JSON.stringify(args) });
}

function done(seq: number, call_id: string, more: Record<string, unknown> = {}): Item {
  return item(seq, 'tool_result', { call_id, ok: true, output: 'ok', duration_ms: 120, ...more });
}

function change(seq: number, call_id: string, path: string, more: Record<string, unknown> = {}): Item {
  const hashes = { before_sha256: 'a', after_sha256: 'b', before_blob: 'a', created: false, deleted: false };
  return item(seq, 'file_change', { call_id, path, ...hashes, added: 12, removed: 4, ...more });
}

const PROMPT = item(0, 'user_message', {
  text: 'Fix the flaky login test',
  client_turn_id: 'c1',
  attachments: [],
});
const EDITED = [
  PROMPT,
  call(1, 'c1', 'edit_file', { path: PATH, old_text: 'a', new_text: 'b' }),
  change(2, 'c1', PATH),
  done(3, 'c1'),
  call(4, 'c2', 'write_file', { path: 'docs/clock.md', content: 'x' }),
  change(5, 'c2', 'docs/clock.md', { before_sha256: null, created: true, added: 3, removed: 0 }),
  done(6, 'c2'),
  call(7, 'c3', 'run_command', { command: 'npm test -- login && npx eslint src --max-warnings 0' }),
  item(8, 'tool_result', {
    call_id: 'c3',
    ok: false,
    output: 'exit code 1\n1 failed',
    error: { kind: 'exit_code', message: 'exit code 1', details: { exit_code: 1 } },
    duration_ms: 8200,
  }),
  call(9, 'c4', 'run_command', { command: 'npm test' }),
  done(10, 'c4', { output: 'exit code 0\nall passed', blob: 'f00' }),
  item(11, 'tool_call_decision', { call_id: 'c4', action: 'resume', decided_by: 'user', rule: '' }),
  item(12, 'provider_usage', { tokens: { input: 12_000, cached: 10_920, output: 400, total: 12_400 } }),
];
const ANSWERED = item(13, 'assistant_message', {
  text: 'The clock is now given. The test passes.',
  stream_run_id: 's2',
  metadata: { partial: false },
});
const FAILED = item(13, 'turn_failed', {
  terminal_status: 'failed',
  error_kind: 'rate_limited',
  error_message: 'The provider limits how much is sent, and three attempts were refused.',
  details: {},
  next_actions: [{ label: 'Try again', command: 'ledgerline.retryTurn' }],
});
const UNDONE = [
  change(14, 'c1', PATH, { undo_of: ['c1'] }),
  item(15, 'diagnostic', { code: 'undo_requested', message: '', details: { paths: ['docs/clock.md'] } }),
];

const STEPS = ['Look at the client', 'Give it the clock of the test, where there is one', 'Run the tests'];

function planned(seq: number, completed: number): readonly Item[] {
  const steps = STEPS.map((step, index) => ({
    step,
    status: index < completed ? 'completed' : index === completed ? 'in_progress' : 'pending',
  }));
  return [call(seq, `p${seq}`, 'update_plan', { steps }), done(seq + 1, `p${seq}`)];
}

const RUNNING = [
  PROMPT,
  ...planned(1, 1),
  call(3, 'c3', 'run_command', { command: 'npm test -- login' }),
  item(4, 'tool_call_status', { call_id: 'c3', from: 'new', to: 'running' }),
];

function shown(items: readonly Item[], state: 'running' | 'completed' | 'failed'): readonly HostMessage[] {
  const told = {
    running: { activity: { text: 'Running a tool', since: Date.now() - 12_000 } },
    completed: {},
    failed: { next_actions: [{ label: 'Try again', command: 'ledgerline.retryTurn' }] },
  };
  return [snapshot(items, { session_id: 'shown' }), turnState(state, told[state])];
}

const PROGRESS: HostMessage = {
  v: 1,
  type: 'tool_state',
  turn_id: 't1',
  call_id: 'c3',
  name: 'run_command',
  state: 'running',
  progress:
    '\n> test\n> vitest run login\n\n ✓ opens a session\n ✓ expires after a minute, whatever the clock says\n',
};

export const EDIT_SCENES = {
  completed: shown([...EDITED, ANSWERED], 'completed'),
  undone: shown([...EDITED, ANSWERED, ...UNDONE], 'completed'),
  failed: shown([...EDITED, FAILED], 'failed'),
  planRunning: [...shown(RUNNING, 'running'), PROGRESS],
  planDone: shown([PROMPT, ...planned(1, 3), ANSWERED], 'completed'),
} as const satisfies Record<string, readonly HostMessage[]>;
