import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Sessions in every state that a list can show, as logs on disk. */

type Draft = readonly [type: string, data: Record<string, unknown>];

interface Scene {
  readonly id: string;
  readonly title: string;
  readonly minutes_ago: number;
  readonly drafts: readonly Draft[];
}

const DONE: Draft = ['run_status', { status: 'done', reason: 'natural_end' }];

function answer(text: string, partial: boolean): Draft {
  const metadata = { partial, ...(partial ? { interrupted: false } : { finished_reason: 'stop' }) };
  return ['assistant_message', { stream_run_id: 'run_1', text, metadata }];
}

function failure(terminal_status: string, error_kind: string): Draft {
  const error_message = 'The provider did not answer.';
  return ['turn_failed', { terminal_status, error_kind, error_message, details: {}, next_actions: [] }];
}

const CALL: Draft = [
  'tool_call',
  {
    stream_run_id: 'run_1',
    call_id: 'call_1',
    name: 'run_command',
    args: '{"command":"npm test"}',
    output_index: 0,
    output_count: 1,
  },
];

const SUSPENDED: Draft = [
  'tool_call_status',
  {
    call_id: 'call_1',
    from: 'new',
    to: 'suspended',
    suspension: {
      id: 'sus_1',
      reason: 'approval',
      message: 'run_command wants to run',
      parameters: {},
      response_schema: {},
      resume_mode: 'replay_tool_call',
    },
  },
];

const SCENES: readonly Scene[] = [
  {
    id: 'ses_waiting',
    title: 'Run the tests and the linter',
    minutes_ago: 3,
    drafts: [CALL, SUSPENDED, ['run_status', { status: 'waiting', reason: 'suspended' }]],
  },
  {
    id: 'ses_completed',
    title: 'Why does login.test.ts fail on CI, and only there, and only on Mondays?',
    minutes_ago: 12,
    drafts: [answer('The clock.', false), DONE],
  },
  {
    id: 'ses_failed',
    title: 'Publish the new version',
    minutes_ago: 50,
    drafts: [failure('failed', 'server_error'), ['run_status', { status: 'done', reason: 'error' }]],
  },
  {
    id: 'ses_partial',
    title: 'Explain the cache',
    minutes_ago: 130,
    drafts: [
      answer('The cache is', true),
      failure('partial_failed', 'stream_incomplete'),
      ['run_status', { status: 'done', reason: 'error' }],
    ],
  },
  {
    id: 'ses_timed_out',
    title: 'Migrate everything',
    minutes_ago: 26 * 60,
    drafts: [
      failure('timed_out', 'stopped:timeout'),
      ['run_status', { status: 'done', reason: 'stopped:timeout' }],
    ],
  },
  {
    id: 'ses_interrupted',
    title: 'Rename the module',
    minutes_ago: 9 * 24 * 60,
    drafts: [
      ['turn_failed', { ...failure('interrupted', 'interrupted')[1], interrupted_reason: 'user_cancelled' }],
      ['run_status', { status: 'done', reason: 'cancelled' }],
    ],
  },
];

export const DAMAGED = { id: 'ses_damaged', title: 'Sort the imports' } as const;

export async function writeScenes(storage: string): Promise<void> {
  const folder = path.join(storage, 'sessions');
  await mkdir(folder, { recursive: true });
  for (const scene of SCENES) await writeFile(path.join(folder, `${scene.id}.jsonl`), logOf(scene));
  const whole = logOf({ ...DAMAGED, minutes_ago: 300, drafts: [answer('Done.', false), DONE] });
  const broken = whole.split('\n').map((line, at) => (at === 2 ? line.slice(0, 40) : line));
  await writeFile(path.join(folder, `${DAMAGED.id}.jsonl`), broken.join('\n'));
  const marks = [
    { v: 1, session_id: 'ses_failed', pinned: true },
    { v: 1, session_id: 'ses_interrupted', archived: true },
  ];
  await writeFile(
    path.join(storage, 'session-marks.jsonl'),
    marks.map((mark) => `${JSON.stringify(mark)}\n`).join(''),
  );
}

function logOf({ id, title, minutes_ago, drafts }: Scene): string {
  const ts = new Date(Date.now() - minutes_ago * 60_000).toISOString();
  const all: readonly Draft[] = [
    ['user_message', { text: title, attachments: [] }],
    ['run_status', { status: 'running', reason: 'run_start' }],
    ...drafts,
  ];
  return all
    .map(([type, data], seq) => {
      const of = { turn_id: `turn_${id}`, client_turn_id: `client_${id}`, ...data };
      return `${JSON.stringify({ v: 1, id: `evt_${seq}`, session_id: id, seq, ts, type, data: of })}\n`;
    })
    .join('');
}
