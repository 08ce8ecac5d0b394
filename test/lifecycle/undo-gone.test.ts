import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { refusalOf } from '../../src/app/undo-refusals.ts';
import type { ChangeFact } from '../../src/runtime/change-facts.ts';
import { fileSteps } from '../../src/runtime/turn-changes.ts';
import { edit, write } from './calls.ts';
import { undoStage } from './undo-stage.ts';

const on = undoStage();

const CHANGE: ChangeFact = {
  call_id: 'c1',
  path: 'a.txt',
  before_sha256: 'a',
  after_sha256: 'b',
  before_blob: 'a',
  before_mode: null,
  added: null,
  removed: null,
  undo_of: [],
  redo_of: [],
};

const inside = (path: string): string => join(on.place.workspace, path);

it('of a file that was deleted or renamed since, undo says that it is gone and what to do', async () => {
  await on.write('edited.txt', 'one');
  const window = await on.changed(edit('c1', 'one', 'ONE', 'edited.txt'), write('c2', 'made.txt', 'new'));
  expect(window.state).toBe('completed');
  await rename(inside('edited.txt'), inside('moved.txt'));
  await rm(inside('made.txt'));
  const [prompt] = await on.of('user_message');
  const undo = { type: 'undo', turn_id: prompt?.turn_id };
  await window.receive(undo);
  expect(window.failures).toMatchObject([{ for: 'undo', kind: 'file_gone' }]);
  expect(window.failures[0]?.message.split('\n').toSorted()).toEqual([
    'Nothing was undone.',
    'edited.txt: no longer there. It was deleted, renamed or moved since: put it back under this name, then undo again.',
    'made.txt: no longer there, so there is nothing to take back. If you renamed or moved it, delete it where it is now.',
  ]);
  expect([await on.read('edited.txt'), await on.read('moved.txt')]).toEqual([null, 'ONE']);

  await rename(inside('moved.txt'), inside('edited.txt'));
  await window.receive({ ...undo, path: 'edited.txt' });
  expect(await on.read('edited.txt')).toBe('one');
  expect(window.failures).toHaveLength(1);
});

it('of a file that has become a folder, undo and merge say so in words for people', async () => {
  await on.write('a.txt', 'one');
  const window = await on.changed(edit('c1', 'one', 'ONE', 'a.txt'));
  await rm(inside('a.txt'));
  await mkdir(inside('a.txt'));
  const turn_id = (await on.of('user_message'))[0]?.turn_id ?? '';
  await window.receive({ type: 'undo', turn_id });
  const words = 'a.txt: there is a folder of this name by now, so it was left as it is.';
  expect(window.failures.map(({ message }) => message)).toEqual([`Nothing was undone.\n${words}`]);
  const merge = await window.conversation.undo.merges.open({ turn_id, way: 'undo', path: 'a.txt' });
  expect(merge).toEqual({ kind: 'not_merged', message: words });
});

it('of a file that must not be written, or whose folder is none any more, undo says so in words for people', async () => {
  await on.write('a.txt', 'one');
  const window = await on.changed(edit('c1', 'one', 'ONE', 'a.txt'), write('c2', 'new/b.txt', 'b'));
  await chmod(join(on.place.workspace, 'a.txt'), 0o444);
  await rm(join(on.place.workspace, 'new'), { recursive: true });
  await on.write('new', 'a file');
  const [prompt] = await on.of('user_message');
  const turn_id = prompt?.turn_id ?? '';
  await window.receive({ type: 'undo', turn_id });
  expect(window.failures[0]?.message.split('\n').toSorted()).toEqual([
    'Nothing was undone.',
    'a.txt: must not be written here. Change its permissions, then try again.',
    'new/b.txt: a part of its path is no folder any more, so it was left as it is.',
  ]);
  const preview = await window.conversation.changes.preview({ turn_id, way: 'undo' });
  expect(preview?.refusals).toHaveLength(2);
});

it.each([
  ['outside_workspace', undefined, 'a.txt: is in none of the folders that are open here.'],
  ['invalid_path', undefined, 'a.txt: is in none of the folders that are open here.'],
  ['denied_path', undefined, 'a.txt: may hold secrets or belongs to version control'],
  ['io_error', { code: 'ENOSPC' }, 'a.txt: the disk is full. Free some space'],
  ['io_error', { code: 'EIO' }, 'a.txt: words for a model'],
])('a refusal is said to a person: %s %j', (kind, details, words) => {
  const [step] = fileSteps([CHANGE], 'undo', null);
  if (step === undefined) throw new Error('no step');
  expect(refusalOf(step, { kind, message: 'words for a model', details }).message).toContain(words);
});
