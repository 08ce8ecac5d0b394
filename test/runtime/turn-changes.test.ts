import { describe, expect, it } from 'vitest';
import { changedFiles, fileSteps } from '../../src/runtime/turn-changes.ts';
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
    before_mode: null,
    added: 1,
    removed: 1,
    undo_of: [],
    redo_of: [],
    ...more,
  };
}

describe('taking the changes of a turn back', () => {
  it('goes from the last content to the first, as one change', () => {
    expect(fileSteps([change('c1', 'A', 'B'), change('c2', 'B', 'C')], 'undo', null)).toEqual([
      {
        path: 'a.ts',
        way: 'undo',
        change: {
          path: 'a.ts',
          before_sha256: 'A',
          after_sha256: 'C',
          before_blob: 'A',
          created: false,
          deleted: false,
        },
        last: change('c2', 'B', 'C'),
        calls: ['c1', 'c2'],
        rest: 0,
      },
    ]);
  });

  it('stops where something else came between', () => {
    const [step] = fileSteps(
      [change('c1', 'A', 'B'), change('c2', 'X', 'C'), change('c3', 'C', 'D')],
      'undo',
      null,
    );
    expect(step).toMatchObject({
      calls: ['c2', 'c3'],
      rest: 1,
      change: { before_sha256: 'X', after_sha256: 'D' },
    });
  });

  it('leaves out what was taken back before', () => {
    const undone = change('c2', 'C', 'B', { undo_of: ['c2'] });
    const changes = [change('c1', 'A', 'B'), change('c2', 'B', 'C'), undone];
    expect(fileSteps(changes, 'undo', null)).toMatchObject([{ calls: ['c1'] }]);
    expect(fileSteps([...changes, change('c1', 'B', 'A', { undo_of: ['c1'] })], 'undo', null)).toEqual([]);
  });

  it('is one step a file, or the one that is asked for', () => {
    const changes = [change('c1', 'A', 'B'), change('c2', null, 'N', { path: 'new.ts' })];
    expect(fileSteps(changes, 'undo', null).map(({ path }) => path)).toEqual(['a.ts', 'new.ts']);
    expect(fileSteps(changes, 'undo', 'new.ts')).toMatchObject([
      { change: { created: true, before_blob: null } },
    ]);
    expect(fileSteps(changes, 'undo', 'other.ts')).toEqual([]);
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

describe('taking an undo back', () => {
  const made = [change('c1', 'A', 'B'), change('c2', 'B', 'C')];
  const undone = change('c2', 'C', 'A', { undo_of: ['c1', 'c2'] });
  const redone = change('c2', 'A', 'C', { redo_of: ['c1', 'c2'] });

  it('goes to what the undo had replaced, and names the calls that stand again', () => {
    expect(fileSteps([...made, undone], 'redo', null)).toMatchObject([
      { way: 'redo', calls: ['c1', 'c2'], rest: 0, change: { before_sha256: 'C', after_sha256: 'A' } },
    ]);
    expect(fileSteps(made, 'redo', null)).toEqual([]);
  });

  it('can be done and undone any number of times', () => {
    let changes: readonly ChangeFact[] = made;
    for (let round = 0; round < 3; round += 1) {
      expect([fileSteps(changes, 'undo', null).length, fileSteps(changes, 'redo', null).length]).toEqual([
        1, 0,
      ]);
      expect(changedFiles(changes)[0]?.standing).toBe('changed');
      changes = [...changes, undone];
      expect([fileSteps(changes, 'undo', null).length, fileSteps(changes, 'redo', null).length]).toEqual([
        0, 1,
      ]);
      expect(changedFiles(changes)[0]?.standing).toBe('undone');
      changes = [...changes, redone];
    }
  });

  it('takes several undos back at once, as far as each starts from what the one before it left', () => {
    const second = change('c2', 'C', 'B', { undo_of: ['c2'] });
    const first = change('c1', 'B', 'A', { undo_of: ['c1'] });
    expect(fileSteps([...made, second, first], 'redo', null)).toMatchObject([
      { calls: ['c1', 'c2'], change: { before_sha256: 'C', after_sha256: 'A', before_blob: 'C' } },
    ]);
    const elsewhere = change('c1', 'X', 'A', { undo_of: ['c1'] });
    expect(fileSteps([...made, second, elsewhere], 'redo', null)).toMatchObject([{ calls: ['c1'], rest: 1 }]);
  });

  it('of one file leaves the others undone', () => {
    const other = { path: 'b.ts' };
    const changes = [
      ...made,
      change('c3', 'A', 'B', other),
      undone,
      change('c3', 'B', 'A', { ...other, undo_of: ['c3'] }),
      redone,
    ];
    expect(changedFiles(changes).map(({ path, standing }) => [path, standing])).toEqual([
      ['a.ts', 'changed'],
      ['b.ts', 'undone'],
    ]);
  });
});
