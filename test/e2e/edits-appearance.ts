import { describe, test } from 'vitest';
import type { HostMessage, Item } from '../../src/presenter/protocol.ts';
import { expectNoOverflow, tell, type Stage } from './appearance-stage.ts';
import { inEachTheme, screenshot } from './harness/index.ts';

/** Pictures of what a turn did, from messages of a host: to do all of it for each would take too long. */

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
  return [
    {
      v: 1,
      type: 'snapshot',
      session_id: 'shown',
      title: 'Fix the flaky login test',
      access: { kind: 'writer' },
      items: [...items],
      first_seq: 0,
      last_seq: items.at(-1)?.seq ?? 0,
      has_more: false,
      stream: null,
      settings: { provider: 'openai', model: 'gpt-5.4', mode: 'ask' },
    },
    {
      v: 1,
      type: 'turn_state',
      turn_id: 't1',
      client_turn_id: 'c1',
      state,
      reason: null,
      next_actions: state === 'failed' ? [{ label: 'Try again', command: 'ledgerline.retryTurn' }] : [],
      ...(state === 'running' ? { activity: { text: 'Running a tool', since: Date.now() - 12_000 } } : {}),
    },
  ];
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

async function picture(stage: Stage, name: string): Promise<void> {
  const { chat, page } = stage;
  const look = async (colorTheme: string): Promise<void> => {
    await expectNoOverflow(stage);
    await screenshot(page, `edits-${colorTheme}-${name}`);
  };
  await inEachTheme(page, look, chat);
}

async function openFacts({ chat }: Stage): Promise<void> {
  await chat.locator('.evidence > .disclosure').click();
  await chat.locator('.evidence-details').waitFor();
}

export function editsInEveryTheme(stage: Stage): void {
  describe('what a turn did, in every theme', () => {
    test('what a turn did fits, closed and open', async () => {
      await tell(stage, shown([...EDITED, ANSWERED], 'completed'));
      await stage.chat
        .getByText('2 files changed, 2 commands (1 failed), 12.4k tokens, 91 % cached')
        .waitFor();
      await picture(stage, 'completed');
      await openFacts(stage);
      await picture(stage, 'completed-open');
    });

    test('what was undone, and a turn that failed with changes, fit', async () => {
      await tell(stage, shown([...EDITED, ANSWERED, ...UNDONE], 'completed'));
      await stage.chat.getByText('2 files changed (1 undone)').waitFor();
      await picture(stage, 'undone');
      await tell(stage, shown([...EDITED, FAILED], 'failed'));
      await stage.chat.getByText('Failed:').waitFor();
      await picture(stage, 'failed');
    });

    test('a plan and a running command fit', async () => {
      await tell(stage, [...shown(RUNNING, 'running'), PROGRESS]);
      await stage.chat.getByText('Plan: 1 of 3 done').waitFor();
      await stage.chat.getByText('expires after a minute').waitFor();
      await picture(stage, 'plan-running');
      await tell(stage, shown([PROMPT, ...planned(1, 3), ANSWERED], 'completed'));
      await stage.chat.getByText('Plan: 3 of 3 done').waitFor();
      await picture(stage, 'plan-done');
    });
  });
}
