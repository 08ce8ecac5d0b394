import { describe, expect, test } from 'vitest';
import { appendFault, explained } from '../../src/app/faults.ts';
import { AppendFailed, type AppendFailureKind } from '../../src/runtime/ports.ts';
import { DiskError } from '../../src/storage/disk.ts';

const RAW = "EPERM: operation not permitted, open '/storage/sessions/s1.jsonl'";
const KINDS: readonly AppendFailureKind[] = ['disk_full', 'write_failed', 'sync_failed', 'log_conflict'];

describe('a log that takes nothing more', () => {
  test.each(KINDS)('is told in plain words with what to do, and the error itself is logged: %s', (kind) => {
    const told = explained(new AppendFailed(kind, `The log could not be written: ${RAW}`));
    expect(told.text).not.toContain('EPERM');
    expect(told.text).not.toContain('/storage');
    expect(told.text).toMatch(/[Oo]pen the session again/u);
    expect(told.log).toContain(RAW);
    expect(told.next_actions.map(({ label }) => label)).toEqual(['Open again', 'Show output']);
  });

  test('is told in the same words to whoever waits for an answer and to everyone else', () => {
    const { text, next_actions } = explained(new AppendFailed('disk_full', 'The disk is full: ENOSPC'));
    expect({ text, next_actions }).toEqual(appendFault('disk_full'));
  });
});

test('files that cannot be used are told of without the error of the system', () => {
  const told = explained(new DiskError('denied', RAW));
  expect(told.text).not.toContain('EPERM');
  expect(told.log).toContain(RAW);
});
