import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { asks, says, stage } from './window.ts';

const on = stage();

const inside = (path: string): string => join(on.place.workspace, path);

it('of a file that was deleted or renamed since, undo says that it is gone and what to do', async () => {
  await on.write('edited.txt', 'one');
  await on.script(
    asks(
      ['c1', 'edit_file', { path: 'edited.txt', old_text: 'one', new_text: 'ONE' }],
      ['c2', 'write_file', { path: 'made.txt', content: 'new' }],
    ),
    says('Done.'),
  );
  const window = await on.open({ permissionMode: 'auto' });
  expect(await window.turn('Change it.')).toBe('completed');
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
  await on.script(
    asks(['c1', 'edit_file', { path: 'a.txt', old_text: 'one', new_text: 'ONE' }]),
    says('Done.'),
  );
  const window = await on.open({ permissionMode: 'auto' });
  await window.turn('Change it.');
  await rm(inside('a.txt'));
  await mkdir(inside('a.txt'));
  const turn_id = (await on.of('user_message'))[0]?.turn_id ?? '';
  await window.receive({ type: 'undo', turn_id });
  const words = 'a.txt: there is a folder of this name by now, so it was left as it is.';
  expect(window.failures.map(({ message }) => message)).toEqual([`Nothing was undone.\n${words}`]);
  const merge = await window.conversation.undo.merges.open({ turn_id, way: 'undo', path: 'a.txt' });
  expect(merge).toEqual({ kind: 'not_merged', message: words });
});
