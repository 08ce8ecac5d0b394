import type { HostMessage, Item } from '../../../src/presenter/protocol.ts';
import { snapshot as snapshotOf } from '../../webview/log-items.ts';
import { ANSWER, HELD, LOST_COMMAND } from './appearance-scenes.ts';
import { AUTOMATIC, fullness, MANUAL, tierNotice } from '../../e2e/compaction-scenes.ts';

/** What the view can look like, as messages of a host: each scene is whole, whatever was shown before it. */

const TS = '2026-01-02T03:04:05.678Z';
const TURN = 't1';

type Snapshot = Extract<HostMessage, { type: 'snapshot' }>;
type TurnStateMessage = Extract<HostMessage, { type: 'turn_state' }>;

export function item(seq: number, type: string, data: Record<string, unknown>, turn_id = TURN): Item {
  return { seq, ts: TS, type, turn_id, data: { turn_id, ...data } };
}

export function snapshot(items: readonly Item[], more: Partial<Snapshot> = {}): Snapshot {
  return snapshotOf(items, { session_id: 'scene', title: 'Fix the flaky login test', ...more });
}

export function turnState(
  state: NonNullable<TurnStateMessage['state']>,
  more: Partial<TurnStateMessage> = {},
): TurnStateMessage {
  return {
    v: 1,
    type: 'turn_state',
    turn_id: TURN,
    client_turn_id: 'c1',
    state,
    reason: null,
    next_actions: [],
    ...more,
  };
}

export function prompt(seq: number, text = 'Why does login.test.ts fail on CI?'): Item {
  return item(seq, 'user_message', { text, client_turn_id: 'c1', attachments: [] });
}

function call(seq: number, call_id: string, name: string, args: Record<string, unknown>): Item {
  return item(seq, 'tool_call', { call_id, name, args: JSON.stringify(args), stream_run_id: 's1' });
}

function result(seq: number, call_id: string, more: Record<string, unknown> = {}): Item {
  return item(seq, 'tool_result', {
    call_id,
    ok: true,
    output: 'first line\nsecond line',
    duration_ms: 120,
    ...more,
  });
}

export function answer(seq: number, text: string, partial = false): Item {
  return item(seq, 'assistant_message', { text, stream_run_id: 's2', metadata: { partial } });
}

export function suspended(seq: number, call_id: string, more: Record<string, unknown> = {}): Item {
  const suspension = {
    id: `wait_${call_id}`,
    reason: 'approval',
    message: 'Commands are asked about.',
    parameters: { tool: 'run_command', always: ['run_command(npm test*)'] },
    resume_mode: 'replay_tool_call',
    ...more,
  };
  return item(seq, 'tool_call_status', { call_id, from: 'new', to: 'suspended', suspension });
}

export function moved(seq: number, call_id: string, from: string, to: string): Item {
  return item(seq, 'tool_call_status', { call_id, from, to });
}

const COMMAND = { command: 'npm test -- login && npx eslint src --max-warnings 0 | tail -n 20' };
export const ASKED_CALL = call(10, 'c1', 'run_command', COMMAND);
const WAITS = item(9, 'run_status', { status: 'waiting', reason: 'suspended' });
const DONE = item(9, 'run_status', { status: 'done', reason: 'natural_end' });

const READS: readonly Item[] = [
  prompt(0),
  item(1, 'reasoning', { summary: 'The clock is the likely cause.', stream_run_id: 's1' }),
  call(2, 'c_read', 'read_file', { path: 'src/session/login-client.ts' }),
  result(3, 'c_read'),
  call(4, 'c_run', 'run_command', { command: 'npm test' }),
  result(5, 'c_run', { ok: false, output: '1 failed', error: { kind: 'exit_1', message: 'It failed.' } }),
];

const FAILURE = {
  terminal_status: 'failed',
  error_kind: 'invalid_key',
  error_message: 'The provider refused the key.',
  details: { status: 401 },
  next_actions: [
    { label: 'Set API key', command: 'ledgerline.setApiKey' },
    { label: 'Try again', command: 'ledgerline.retryTurn' },
  ],
};

const QUESTION = {
  reason: 'question',
  message: 'Which clock should the tests use?',
  parameters: {
    question: 'Which clock should the tests use?',
    schema: { type: 'string', enum: ['A fake clock', 'UTC'] },
  },
  response_schema: { type: 'string', enum: ['A fake clock', 'UTC'] },
  resume_mode: 'use_decision_as_result',
};

const FORM_SCHEMA = {
  type: 'object',
  properties: {
    channel: { title: 'Channel', enum: ['stable', 'next'] },
    platforms: { title: 'Platforms', type: 'array', items: { enum: ['Linux', 'macOS'] }, minItems: 1 },
    retries: { title: 'Retries', type: 'integer', minimum: 0, maximum: 5 },
    note: { title: 'Note', type: 'string' },
    region: { title: 'Region', enum: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'] },
  },
  required: ['channel', 'platforms', 'retries'],
};

const FORM = {
  ...QUESTION,
  message: 'How should it be released?',
  parameters: { question: 'How should it be released?', schema: FORM_SCHEMA },
  response_schema: FORM_SCHEMA,
};

export const RTL_PROMPT = 'למה הבדיקה נכשלת רק בשרת הבנייה?';
export const RTL_ANSWER = 'השעון מוחלף אחרי שהלקוח נבנה, ולכן הלקוח שומר את השעון האמיתי.';

export const RTL_ITEM = 'לקרוא את השעון מאוחר';
export const RTL_QUOTE = 'הבדיקה עוברת במחשב שלי';

const MARKDOWN = `# What happens

## In the client

The clock is *mocked* after the client is **built**.

[The \`Clock\` of the client](https://example.com/clock)

| file | change |
|---|---|
| \`src/login.ts\` | +4 -2 |

### Then

1. Run the tests again.

\`\`\`ts
const now = clock.now();
\`\`\``;

export const VIEW_SCENES = {
  empty: [snapshot([], { title: '' })],
  markdown: [snapshot([prompt(0), answer(6, MARKDOWN), DONE]), turnState('completed')],
  completed: [snapshot([...READS, answer(6, ANSWER), DONE]), turnState('completed')],
  failed: [
    snapshot([prompt(0), item(1, 'turn_failed', FAILURE), DONE]),
    turnState('failed', { next_actions: FAILURE.next_actions }),
  ],
  partial: [
    snapshot([
      prompt(0),
      answer(1, 'This answer breaks off in the mid', true),
      item(2, 'turn_failed', { ...FAILURE, terminal_status: 'partial_failed' }),
      DONE,
    ]),
    turnState('partial_failed'),
  ],
  running: [
    snapshot(READS),
    turnState('running', { activity: { text: 'Answering', since: Date.now() } }),
    {
      v: 1,
      type: 'delta',
      turn_id: TURN,
      stream_run_id: 's2',
      kind: 'text',
      text: 'Looking at the client first',
    },
  ],
  approval: [
    snapshot([prompt(0), call(1, 'c1', 'run_command', COMMAND), suspended(2, 'c1'), WAITS]),
    turnState('waiting'),
  ],
  form: [
    snapshot([
      prompt(0),
      call(1, 'c1', 'ask_user', { question: 'How should it be released?' }),
      suspended(2, 'c1', FORM),
      WAITS,
    ]),
    turnState('waiting'),
  ],
  question: [
    snapshot([
      prompt(0),
      call(1, 'c1', 'ask_user', { question: 'Which clock should the tests use?' }),
      suspended(2, 'c1', QUESTION),
      WAITS,
    ]),
    turnState('waiting'),
  ],
  several: [
    snapshot([
      prompt(0),
      call(1, 'c1', 'run_command', COMMAND),
      call(2, 'c2', 'write_file', { path: 'docs/clock.md', content: '# The clock\n' }),
      suspended(3, 'c1'),
      suspended(4, 'c2', { parameters: { tool: 'write_file' } }),
      WAITS,
    ]),
    turnState('waiting'),
  ],
  unknown: LOST_COMMAND,
  notices: [
    snapshot([...READS, answer(6, ANSWER), DONE]),
    turnState('completed'),
    {
      v: 1,
      type: 'notice',
      level: 'warning',
      message: 'The rule could not be remembered.',
      next_actions: [],
    },
    {
      v: 1,
      type: 'failure',
      for: 'fork',
      kind: 'nothing_to_fork',
      message: 'The session has nothing to fork yet.',
      next_actions: [{ label: 'Show output', command: 'ledgerline.showOutput' }],
    },
  ],
  checkpoint: [
    snapshot([
      ...READS,
      answer(6, ANSWER),
      DONE,
      { seq: 143, ts: TS, type: 'history_compaction', data: MANUAL },
      item(144, 'user_message', { text: 'And on Windows?', client_turn_id: 'c2', attachments: [] }, 't2'),
      item(145, 'history_compaction', AUTOMATIC, 't2'),
      item(146, 'assistant_message', { text: 'It passes.', stream_run_id: 's3', metadata: {} }, 't2'),
      item(147, 'run_status', { status: 'done', reason: 'natural_end' }, 't2'),
    ]),
    turnState('completed', { turn_id: 't2', client_turn_id: 'c2' }),
    fullness('recovery', 0.34),
    tierNotice('recovery'),
  ],
  pressure: [
    snapshot([...READS, answer(6, ANSWER), DONE]),
    turnState('completed'),
    fullness('critical', 0.93),
    tierNotice('critical'),
  ],
  held: HELD,
  loading: [
    snapshot([...READS, answer(6, ANSWER), DONE], { access: { kind: 'loading' } }),
    turnState('completed'),
  ],
  past: [snapshot([...READS, answer(6, ANSWER), DONE], { has_more: true }), turnState('completed')],
  rightToLeft: [
    snapshot(
      [
        prompt(0, RTL_PROMPT),
        answer(6, `${RTL_ANSWER}\n\nAnd then in English.\n\n- ${RTL_ITEM}\n\n> ${RTL_QUOTE}`),
        DONE,
      ],
      {
        title: RTL_PROMPT,
      },
    ),
    turnState('completed'),
  ],
} as const satisfies Record<string, readonly HostMessage[]>;

export type SceneName = keyof typeof VIEW_SCENES;

export const SCENE_NAMES = Object.keys(VIEW_SCENES) as readonly SceneName[];
