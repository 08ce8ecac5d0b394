import { expect, test } from 'vitest';
import { applyToCall, beginCall } from '../../../src/runtime/inspection/call-trace.ts';
import { callEvidence } from '../../../src/runtime/inspection/evidence.ts';
import { inEnglish } from '../../../src/runtime/inspection/spoken-words.ts';
import { made } from '../../support/made-events.ts';

/** What the tooltip of a call says of who let it pass. */
function permitted(rule: string): string | undefined {
  const of = { turn_id: 't', call_id: 'c', stream_run_id: 'r' };
  const call = beginCall(made('tool_call', 1, { ...of, name: 'write_file', arguments: '{}' } as never));
  const by = { ...of, decision: 'allow', decided_by: 'rule', rule, scope: 'call', sub_commands: [] };
  const evidence = callEvidence(applyToCall(call, made('permission_decision', 2, by as never)));
  return evidence.map(inEnglish).find((line) => line.startsWith('Permission'));
}

test('a rule is quoted as somebody wrote it, and a name of the log is said in words', () => {
  expect(permitted('write_file(src/my_file.ts)')).toBe(
    'Permission at seq 2: allowed (write_file(src/my_file.ts)).',
  );
  expect(permitted('read_file')).toBe('Permission at seq 2: allowed (read_file).');
  expect(permitted('mode:auto')).toBe('Permission at seq 2: allowed (mode auto).');
});
