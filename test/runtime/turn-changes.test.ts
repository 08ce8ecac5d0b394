import { describe, expect, it } from 'vitest';
import { changedFiles, undoSteps } from '../../src/runtime/turn-changes.ts';
import type { ChangeFact } from '../../src/runtime/turn-evidence.ts';

/** A change of a file from one content to another; the contents stand for their hashes. */
function change(
  call_id: string,
  before: string | null,
  after: string | null,
  more: Partial<ChangeFact> = {},
): ChangeFact {
  return {
    call_id,
    path: 'a.ts',
    before_sha256: before,
    after_sha256: after,
    before_blob: before,
    added: 1,
    removed: 1,
    undo_of: [],
    ...more,
  };
}

describe('taking the changes of a turn back', () => {
  it('goes from the last content to the first, as one change', () => {
    expect(undoSteps([change('c1', 'A', 'B'), change('c2', 'B', 'C')], null)).toEqual([
      {
        path: 'a.ts',
        change: {
          path: 'a.ts',
          before_sha256: 'A',
          after_sha256: 'C',
          before_blob: 'A',
          created: false,
          deleted: false,
        },
        call_id: 'c2',
        undo_of: ['c1', 'c2'],
        rest: 0,
      },
    ]);
  });

  it('stops where something else came between', () => {
    const [step] = undoSteps([change('c1', 'A', 'B'), change('c2', 'X', 'C'), change('c3', 'C', 'D')], null);
    expect(step).toMatchObject({
      undo_of: ['c2', 'c3'],
      rest: 1,
      change: { before_sha256: 'X', after_sha256: 'D' },
    });
  });

  it('leaves out what was taken back before', () => {
    const undone = change('c2', 'C', 'B', { undo_of: ['c2'] });
    const changes = [change('c1', 'A', 'B'), change('c2', 'B', 'C'), undone];
    expect(undoSteps(changes, null)).toMatchObject([{ undo_of: ['c1'] }]);
    expect(undoSteps([...changes, change('c1', 'B', 'A', { undo_of: ['c1'] })], null)).toEqual([]);
  });

  it('is one step a file, or the one that is asked for', () => {
    const changes = [change('c1', 'A', 'B'), change('c2', null, 'N', { path: 'new.ts' })];
    expect(undoSteps(changes, null).map(({ path }) => path)).toEqual(['a.ts', 'new.ts']);
    expect(undoSteps(changes, 'new.ts')).toMatchObject([{ change: { created: true, before_blob: null } }]);
    expect(undoSteps(changes, 'other.ts')).toEqual([]);
  });
});

it('a file that is changed again after an undo counts as changed', () => {
  const changes = [
    change('c1', 'A', 'B'),
    change('c1', 'B', 'A', { undo_of: ['c1'] }),
    change('c2', 'A', 'C'),
  ];
  expect(changedFiles(changes).map(({ standing, edits }) => ({ standing, edits }))).toEqual([
    { standing: 'partly_undone', edits: 2 },
  ]);
});
