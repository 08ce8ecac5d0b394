import { expect, it } from 'vitest';
import { asks, says, stage } from './window.ts';

const on = stage();

it.each([
  ['.env', 'policy:denied_path'],
  ['.git/config', 'policy:denied_path'],
  ['../elsewhere.txt', 'policy:outside_workspace'],
])('what no tool may touch is denied on record: %s', async (path, rule) => {
  await on.write('.env', 'KEY=1');
  const window = await on.turn(
    'Read it.',
    [
      asks(['c1', 'read_file', { path, start_line: null, end_line: null }], ['c2', 'read_file', { path: 7 }]),
      says('I could not.'),
    ],
    { permissionMode: 'auto' },
  );
  expect(window.state).toBe('completed');
  const decisions = await on.of('permission_decision');
  // The second call has wrong arguments, which is no denial.
  expect(decisions).toMatchObject([{ call_id: 'c1', decision: 'deny', decided_by: 'policy', rule }]);
  const [result] = await on.of('tool_result');
  expect(result).toMatchObject({ call_id: 'c1', ok: false, error: { kind: rule.replace('policy:', '') } });
});

it('where the logs are is asked about in every mode', async () => {
  const window = await on.turn(
    'Read the log.',
    [
      asks([
        'c1',
        'run_command',
        { command: `cat '${on.place.storage}/sessions/s1.jsonl'`, timeout_s: null },
      ]),
    ],
    { permissionMode: 'auto' },
  );
  expect(window.state).toBe('waiting');
  expect(await on.of('permission_decision')).toMatchObject([
    { decision: 'ask', rule: 'policy:storage_path' },
  ]);
});
