import type { HostMessage } from '../../../src/presenter/protocol.ts';
import { RECORD } from '../compaction-record.ts';

/** What there is to see of how full the window is, and of what was done about it. */

export const MANUAL = {
  ...RECORD,
  files_touched: ['src/session/login-client.ts', 'test/session/login-client.test.ts', 'docs/clock.md'],
  open_tasks: ['Run the tests on Windows', 'Say in docs/clock.md which clock the tests use, and why'],
  summary: [
    'Asked: why does login.test.ts fail on CI?',
    'Answered: the clock is mocked after the client is built, so the client keeps the real one.',
    'Changed: the client takes its clock as a parameter (src/session/login-client.ts).',
  ].join('\n'),
};

export const AUTOMATIC = {
  ...RECORD,
  keeps: [],
  trigger: 'critical_pressure_preflight',
  strategy: 'model_assisted_v1',
  summary:
    '## Where it stands\n\nThe client takes its **clock** as a parameter:\n\n- `login-client.ts` is done\n- Windows is open',
};

const PARTS = { instructions: 2100, tools: 5200, skills: 900, history: 61_000, tool_output: 48_000 };
const WINDOW = 128_000;

export function fullness(tier: string, ratio: number, estimated = false): HostMessage {
  const input_tokens = Math.round(ratio * WINDOW);
  const cached_tokens = estimated ? null : Math.round(input_tokens * 0.8);
  const measured = { ratio, input_tokens, cached_tokens, window_tokens: WINDOW, parts: PARTS };
  return { v: 1, type: 'context_pressure', tier, ...measured, ...(estimated ? { estimated } : {}) };
}

/** As the host tells it once history is compacted: of the next request, and without its parts. */
export const AFTER_COMPACTION: HostMessage = {
  v: 1,
  type: 'context_pressure',
  tier: 'unknown',
  ratio: 0.34,
  input_tokens: 43_520,
  cached_tokens: null,
  window_tokens: WINDOW,
  estimated: true,
  after_compaction: true,
};

const NOTICES: Readonly<Record<string, string>> = {
  advisory: 'The context window is 72 % full.',
  critical:
    'The context window is 93 % full. Before the next turn, earlier history is compacted where that makes room.',
  recovery:
    'The context window was nearly full, so earlier history was compacted, from about 48,012 to about 9,120 tokens. The log keeps all of it.',
};

export function tierNotice(tier: string): HostMessage {
  const next_actions = [
    { label: 'Preview compaction', command: 'ledgerline.compactDryRun' },
    { label: 'Compact now', command: 'ledgerline.compact' },
  ];
  const level = tier === 'critical' ? 'warning' : 'info';
  const message = NOTICES[tier] ?? tier;
  return {
    v: 1,
    type: 'notice',
    level,
    tier,
    message,
    next_actions: tier === 'recovery' ? [] : next_actions,
  };
}
