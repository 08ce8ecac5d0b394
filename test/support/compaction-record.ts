import type { CompactionRecord } from '../../src/runtime/context-events.ts';

/** A compaction in full, as this version writes it: every field says something. */
export const RECORD: CompactionRecord = {
  trigger: 'manual',
  strategy: 'deterministic_v1',
  range: { from_seq: 0, to_seq: 120 },
  tail_from_seq: 121,
  keeps: [101],
  event_counts: { assistant_message: 20, tool_call: 40, user_message: 5 },
  tool_calls: {
    total: 40,
    failed: 2,
    by_name: { edit_file: 10, read_file: 30 },
    last: [
      { seq: 96, name: 'read_file', subject: 'src/login.ts', ok: true, output_bytes: 1234 },
      {
        seq: 110,
        name: 'run_command',
        subject: 'npm test',
        ok: false,
        output_bytes: 41_000,
        blob: 'f00d',
      },
    ],
  },
  files_touched: ['src/login.ts', 'test/login.test.ts'],
  open_tasks: ['Run the tests on Windows'],
  decisions: [
    { name: 'edit_file', subject: 'src/login.ts', action: 'resume', decided_by: 'user' },
    {
      name: 'run_command',
      subject: 'rm -r build',
      action: 'cancel',
      decided_by: 'user',
      reason: 'Keep the build.',
    },
  ],
  skills_dropped: ['review'],
  limitations: ['Outputs of tools are not repeated.', 'The skill review is no longer active.'],
  summary: 'Asked: fix the flaky login test.\nDone: the clock is a parameter now.',
  tokens_before: 48_012,
  tokens_after: 9120,
  tokens_basis: 'measured',
  parts_after: { instructions: 350, tools: 1270, skills: 0, history: 5200, tool_output: 2300 },
};
