import type { HostMessage, Item } from '../../../src/presenter/protocol.ts';
import type { Answer } from '../../support/responses-server/response-events.ts';

/** What a model says and asks for in the pictures: as long and as awkward as real work is. */

type Call = NonNullable<Answer['calls']>[number];

export const ANSWER = `The clock is mocked after the client is built, so the client keeps the real one. Build it after the mock:

\`\`\`ts
const clock = fakeClock();
const client = createClient({ clock, baseUrl: 'https://login.example.org/v1/sessions' });
\`\`\`

Then the test no longer depends on the time of day.`;

/** All that Markdown has, in the first screens of an answer. */
export const MARKDOWN = [
  `# Why the test is flaky

The clock is mocked **after** the client is built, so \`createClient\` keeps the *real* one. See
[the client](src/session/login-client.ts:4), notes.txt:2 and [the guide](https://example.org/guide).

1. Build the client after the mock
   - in the unit test
   - in \`src/session/login-client.ts:4\`
2. ~~Sleep for a second~~

- [x] Reproduced with \`npm test\`
- [ ] Fixed

> A test that sleeps is a test that waits to fail.

| Test | Before | After | What changed |
|:-----|-------:|:-----:|--------------|
| login | 12 % | 0 % | builds the client after the mock |
| logout | 3 % | 0 % | nothing |
`,
  `## The fix

\`\`\`ts src/session/login-client.ts
// The clock of the test, where there is one.
export async function login(name: string, clock: Clock): Promise<Session> {
  const started = clock.now(); // was Date.now()
  const client = createClient({ clock, baseUrl: 'https://login.example.org/v1/sessions' });
  return client.open({ name, started, expires: started + 60_000, retry: /^E\\d+$/ });
}
\`\`\`

\`\`\`diff
- const started = Date.now();
+ const started = clock.now();
\`\`\`

\`\`\`json
{ "retries": 3, "name": "login", "strict": true }
\`\`\`

<details>raw HTML stays text</details>

---

זה טקסט מימין לשמאל עם \`code\` בפנים.`,
] as const;

export const LOGIN = {
  path: 'src/session/login-client.ts',
  content: `import { createClient } from './client.ts';

export function login(name: string, clock: Clock): Promise<Session> {
  const started = Date.now();
  const client = createClient({ clock, baseUrl: 'https://login.example.org/v1/sessions' });
  return client.open({ name, started, expires: started + 60_000 });
}
`,
} as const;

export function readCall(call_id: string, file: string): Call {
  return { call_id, name: 'read_file', args: { path: file, start_line: null, end_line: null } };
}

const EDIT: Call = {
  call_id: 'call_edit',
  name: 'edit_file',
  args: {
    path: LOGIN.path,
    old_text: '  const started = Date.now();\n',
    new_text: '  // The clock of the test, where there is one.\n  const started = clock.now();\n',
    replace_all: null,
  },
};

const COMMAND: Call = {
  call_id: 'call_command',
  name: 'run_command',
  args: { command: 'npm test -- login && npx eslint src --max-warnings 0 | tail -n 20', timeout_s: null },
};

const WRITE: Call = {
  call_id: 'call_write',
  name: 'write_file',
  args: { path: 'docs/clock.md', content: '# The clock\n\nTests give their own.\n' },
};

const QUESTION: Call = {
  call_id: 'call_question',
  name: 'ask_user',
  args: {
    question: 'The tests also fail in the time zone of the build machine. Which clock should they use?',
    schema: { type: 'string', enum: ['A fake clock', 'UTC', 'The time zone of whoever runs them'] },
  },
};

const FORM: Call = {
  call_id: 'call_form',
  name: 'ask_user',
  args: {
    question: 'How should the login client be released?',
    schema: {
      type: 'object',
      properties: {
        channel: { title: 'Channel', enum: ['stable', 'next'], default: 'next' },
        platforms: {
          title: 'Platforms',
          description: 'Each of them is built and tested before anything is published.',
          type: 'array',
          items: { enum: ['Linux', 'macOS', 'Windows'] },
          minItems: 1,
        },
        retries: { title: 'Retries of a failed upload', type: 'integer', minimum: 0, maximum: 5 },
        note: { title: 'Release note', type: 'string' },
      },
      required: ['channel', 'platforms', 'retries'],
    },
  },
};

export const SCENES = {
  edit: { prompt: 'Fix the flaky login test', text: 'One line is wrong.', calls: [EDIT] },
  command: { prompt: 'Run the tests and the linter', text: '', calls: [COMMAND] },
  question: { prompt: 'Make them pass everywhere', text: '', calls: [QUESTION] },
  form: { prompt: 'Release it', text: '', calls: [FORM] },
  several: { prompt: 'Do it all', text: 'Three things at once.', calls: [EDIT, WRITE, COMMAND] },
} as const satisfies Record<string, { prompt: string; text: string; calls: readonly Call[] }>;

const TS = '2026-01-02T03:04:05.678Z';
const TURN = 't1';

function item(seq: number, type: string, data: Record<string, unknown>): Item {
  return { seq, ts: TS, type, turn_id: TURN, data: { turn_id: TURN, ...data } };
}

const LOST = {
  id: 'suspension_1',
  reason: 'outcome_unknown',
  message:
    'run_command was running when its window ended or lost the session. Whether it finished is unknown.',
  parameters: { tool: 'run_command', process: { pid: 48213, group: 48213, started_at: TS } },
  resume_mode: 'replay_tool_call',
  resume_modes: ['replay_tool_call', 'use_decision_as_result'],
} as const;

const LOST_SNAPSHOT: HostMessage = {
  v: 1,
  type: 'snapshot',
  session_id: 'lost',
  title: 'Publish the new version',
  access: { kind: 'writer' },
  items: [
    item(0, 'user_message', { text: 'Publish the new version', client_turn_id: 'c1', attachments: [] }),
    item(1, 'tool_call', {
      call_id: 'call_1',
      name: 'run_command',
      args: '{"command":"npm test"}',
      stream_run_id: 's1',
    }),
    item(2, 'tool_result', {
      call_id: 'call_1',
      ok: false,
      duration_ms: 8200,
      output: '1 failed',
      error: { kind: 'exit_1', message: 'The command failed.' },
    }),
    item(3, 'tool_call', {
      call_id: 'call_2',
      name: 'run_command',
      args: '{"command":"npm publish --access public --tag next"}',
      stream_run_id: 's2',
    }),
    item(4, 'tool_call_status', { call_id: 'call_2', from: 'running', to: 'suspended', suspension: LOST }),
    item(5, 'run_status', { status: 'waiting', reason: 'suspended' }),
  ],
  first_seq: 0,
  last_seq: 5,
  has_more: false,
  stream: null,
  settings: { provider: 'openai', model: 'gpt-5.4', mode: 'ask' },
};

/** Messages of a host that lost a command; to lose one for each picture would take too long. */
export const LOST_COMMAND: readonly HostMessage[] = [
  LOST_SNAPSHOT,
  {
    v: 1,
    type: 'turn_state',
    turn_id: TURN,
    client_turn_id: 'c1',
    state: 'waiting',
    reason: 'suspended',
    next_actions: [],
  },
  {
    v: 1,
    type: 'tool_state',
    turn_id: TURN,
    call_id: 'call_2',
    name: 'run_command',
    state: 'suspended',
    suspension: LOST,
    process: { pid: 48213, alive: true },
  },
];

export const HELD: readonly HostMessage[] = [
  {
    ...LOST_SNAPSHOT,
    access: {
      kind: 'read_only',
      reason: 'held',
      message: 'This session is open in another window (process 4711). You see it live, but cannot send.',
      next_actions: [{ label: 'Take over', command: 'ledgerline.takeOver' }],
    },
  },
];
