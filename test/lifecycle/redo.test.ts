import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { edit, write } from './calls.ts';
import { AUTO, evidenceIn, undoStage } from './undo-stage.ts';
import { asks, says } from './window.ts';

const on = undoStage();

function inside(path: string): string {
  return join(on.place.workspace, path);
}

/** As if the process had ended between a file and the log: the last lines are lost. */
async function loseLines(count: number): Promise<void> {
  const log = join(on.place.storage, 'sessions', 's1.jsonl');
  const lines = (await readFile(log, 'utf8')).split('\n').slice(0, -1 - count);
  await writeFile(log, `${lines.join('\n')}\n`);
}

describe('taking an undo back', () => {
  it('brings every file to what the undo had replaced, and records each', async () => {
    await on.write('a.txt', 'one\r\ntwo\r\n');
    const window = await on.changed(edit('c1', 'one', 'ONE'), write('c2', 'new/b.txt', 'new'));
    await on.take(window, 'undo');
    await on.take(window, 'redo');
    expect([await on.read('a.txt'), await on.read('new/b.txt')]).toEqual(['ONE\r\ntwo\r\n', 'new']);
    const redone = (await on.of('file_change'))
      .filter(({ redo_of }) => redo_of !== undefined)
      .toSorted((one, other) => (one.path < other.path ? -1 : 1));
    expect(redone).toMatchObject([
      { path: 'a.txt', redo_of: ['c1'], created: false, deleted: false },
      { path: 'new/b.txt', redo_of: ['c2'], created: true, before_blob: null, made_folders: ['new'] },
    ]);
    expect(redone.every(({ undo_of }) => undo_of === undefined)).toBe(true);
    expect(window.failures).toEqual([]);
  });

  it('is on record before the first file is touched', async () => {
    await on.write('a.txt', 'one');
    const window = await on.changed(edit('c1', 'one', 'ONE'));
    await on.take(window, 'undo');
    await on.take(window, 'redo');
    const events = await on.events();
    const asked = events.findIndex(
      (event) => event.type === 'diagnostic' && event.data.code === 'redo_requested',
    );
    const done = events.findIndex(
      (event) => event.type === 'file_change' && event.data.redo_of !== undefined,
    );
    expect([asked > -1, done > asked]).toEqual([true, true]);
  });

  it('can be undone again, and so on, and the folders come and go with it', async () => {
    const window = await on.changed(write('c1', 'new/deep/a.txt', 'mine'));
    for (let round = 0; round < 3; round += 1) {
      await on.take(window, 'undo');
      expect(await readdir(on.place.workspace)).toEqual([]);
      await on.take(window, 'redo');
      expect(await on.read('new/deep/a.txt')).toBe('mine');
    }
    expect(window.failures).toEqual([]);
  });

  it('leaves a folder that somebody made in between', async () => {
    const window = await on.changed(write('c1', 'new/a.txt', 'mine'));
    await on.take(window, 'undo');
    await mkdir(inside('new'));
    await on.take(window, 'redo');
    await on.take(window, 'undo');
    expect(await readdir(on.place.workspace)).toEqual(['new']);
  });

  it('of one file leaves the others undone', async () => {
    await on.write('a.txt', 'one');
    await on.write('b.txt', 'one');
    const window = await on.changed(edit('c1', 'one', 'ONE'), edit('c2', 'one', 'ONE', 'b.txt'));
    await on.take(window, 'undo');
    await on.take(window, 'redo', 'b.txt');
    expect([await on.read('a.txt'), await on.read('b.txt')]).toEqual(['one', 'ONE']);
  });

  it('works across turns, in the order that the contents allow', async () => {
    await on.write('a.txt', 'one');
    const window = await on.turn(
      'First.',
      [asks(edit('c1', 'one', 'two')), says('Done.'), asks(edit('c2', 'two', 'three')), says('Done.')],
      AUTO,
    );
    await window.turn('Second.');
    const [first = '', second = ''] = await on.turnIds();
    await window.receive({ type: 'undo', turn_id: first });
    expect(window.failures.at(-1)?.kind).toBe('file_changed');
    for (const turn_id of [second, first]) await window.receive({ type: 'undo', turn_id });
    expect(await on.read('a.txt')).toBe('one');
    await window.receive({ type: 'redo', turn_id: second });
    expect([window.failures.at(-1)?.kind, await on.read('a.txt')]).toEqual(['file_changed', 'one']);
    for (const turn_id of [first, second]) await window.receive({ type: 'redo', turn_id });
    expect(await on.read('a.txt')).toBe('three');
  });

  it('restores the bytes and the permissions of a file that the undo removed', async () => {
    const window = await on.changed(write('c1', 'run.sh', '#!/bin/sh\n'));
    await chmod(inside('run.sh'), 0o750);
    await on.take(window, 'undo');
    await on.take(window, 'redo');
    expect(await on.read('run.sh')).toBe('#!/bin/sh\n');
    expect((await stat(inside('run.sh'))).mode & 0o777).toBe(0o750);
  });
});

it('a file that was deleted is there again, and is deleted once more when that is taken back', async () => {
  await on.write('deep/a.txt', 'one');
  const window = await on.changed(edit('c1', 'one', 'ONE', 'deep/a.txt'));
  await window.close();
  // No tool of ours deletes files; a log may say so all the same.
  const log = join(on.place.storage, 'sessions', 's1.jsonl');
  const lines = (await readFile(log, 'utf8')).split('\n').map((line) => {
    if (!line.includes('"type":"file_change"')) return line;
    const event = JSON.parse(line) as { data: object };
    return JSON.stringify({ ...event, data: { ...event.data, after_sha256: null, deleted: true } });
  });
  await writeFile(log, lines.join('\n'));
  await rm(inside('deep'), { recursive: true });
  const again = await on.open(AUTO);
  await on.take(again, 'undo');
  expect(await on.read('deep/a.txt')).toBe('one');
  await on.take(again, 'redo');
  expect(await readdir(on.place.workspace)).toEqual([]);
  expect((await on.of('file_change')).slice(1)).toMatchObject([
    { undo_of: ['c1'], created: true, made_folders: ['deep'] },
    { redo_of: ['c1'], deleted: true, removed_folders: ['deep'] },
  ]);
  expect(again.failures).toEqual([]);
});

describe('bytes that are no text', () => {
  it.each([
    ['a binary file', Buffer.from([0, 1, 2, 255, 0, 10, 13])],
    ['UTF-16 with a mark', Buffer.from('\uFEFFhello\r\n', 'utf16le')],
    ['a byte order mark', Buffer.from('\uFEFFhello\r\n', 'utf8')],
    ['an empty file', Buffer.alloc(0)],
  ])('of %s that a text was written over are put back, and taken away again', async (_, bytes) => {
    await writeFile(inside('x.bin'), bytes);
    const window = await on.changed(write('c1', 'x.bin', 'text\n'));
    const made = await readFile(inside('x.bin'));
    await on.take(window, 'undo');
    expect(await readFile(inside('x.bin'))).toEqual(bytes);
    await on.take(window, 'redo');
    expect(await readFile(inside('x.bin'))).toEqual(made);
    expect(window.failures).toEqual([]);
  });
});

describe('a redo is refused', () => {
  it('where nothing was undone', async () => {
    await on.write('a.txt', 'one');
    const window = await on.changed(edit('c1', 'one', 'ONE'));
    const before = (await on.events()).length;
    await on.take(window, 'redo');
    await on.take(window, 'redo', 'a.txt');
    expect(window.failures).toMatchObject([
      {
        for: 'redo',
        kind: 'nothing_to_redo',
        message: 'Everything that this turn changed stands as it was made. There is nothing to redo.',
      },
      { message: 'a.txt stands as it was made. There is nothing to redo.' },
    ]);
    expect((await on.events()).length).toBe(before);
  });

  it('by name where the file has changed since, with a merge to offer', async () => {
    await on.write('a.txt', 'one');
    const window = await on.changed(edit('c1', 'one', 'ONE'));
    const [turn_id] = await on.turnIds();
    await on.take(window, 'undo');
    await on.write('a.txt', 'theirs');
    await on.take(window, 'redo');
    expect(window.failures).toMatchObject([
      {
        for: 'redo',
        kind: 'file_changed',
        message: 'Nothing was redone.\na.txt: changed since, so it was left as it is.',
        next_actions: [
          {
            label: 'Merge a.txt…',
            command: 'ledgerline.mergeUndo',
            args: [{ turn_id, path: 'a.txt', way: 'redo' }],
          },
        ],
      },
    ]);
    expect(await on.read('a.txt')).toBe('theirs');
    expect(evidenceIn(window)).toMatchObject({ redo_open: [], redo_mergeable: ['a.txt'] });
  });

  it('where another file has taken the place of one that it would bring back', async () => {
    const window = await on.changed(write('c1', 'a.txt', 'mine'));
    await on.take(window, 'undo');
    await on.write('a.txt', 'theirs');
    await on.take(window, 'redo');
    expect(window.failures.at(-1)?.message).toBe(
      'Nothing was redone.\na.txt: there is another file of this name by now, so it was left as it is.',
    );
    expect(await on.read('a.txt')).toBe('theirs');
  });

  it('where its content is not in storage any more, and offers nothing', async () => {
    await on.write('a.txt', 'one');
    const window = await on.changed(edit('c1', 'one', 'ONE'));
    await on.take(window, 'undo');
    await rm(join(on.place.storage, 'blobs'), { recursive: true });
    await on.take(window, 'redo');
    expect(window.failures).toMatchObject([{ for: 'redo', kind: 'content_missing', next_actions: [] }]);
    expect(await on.read('a.txt')).toBe('one');
  });

  it('in a workspace that is not trusted, and in a session that another process has', async () => {
    await on.write('a.txt', 'one');
    const window = await on.changed(edit('c1', 'one', 'ONE'));
    await on.take(window, 'undo');
    const second = await on.open(AUTO);
    await on.take(second, 'redo');
    expect(second.failures.at(-1)).toMatchObject({ for: 'redo', kind: 'session_held' });
    await second.close();
    await window.close();
    const untrusted = await on.open(AUTO, 's1', { trusted: false });
    await on.take(untrusted, 'redo');
    expect(untrusted.failures).toMatchObject([{ for: 'redo', kind: 'untrusted' }]);
    expect(await on.read('a.txt')).toBe('one');
  });
});

it('a file that has become a link is left alone, whatever the link leads to', async () => {
  await on.write('a.txt', 'one');
  const window = await on.changed(edit('c1', 'one', 'ONE'));
  await on.write('other.txt', 'ONE');
  await rm(inside('a.txt'));
  await symlink('other.txt', inside('a.txt'));
  await on.take(window, 'undo');
  expect(window.failures).toMatchObject([
    { kind: 'not_a_file', message: 'Nothing was undone.\na.txt is a link by now, so it was left as it is.' },
  ]);
  expect(await on.read('other.txt')).toBe('ONE');
});

it('a file that has become a folder is left alone', async () => {
  await on.write('a.txt', 'one');
  const window = await on.changed(edit('c1', 'one', 'ONE'));
  await rm(inside('a.txt'));
  await mkdir(inside('a.txt'));
  await on.take(window, 'undo');
  expect(window.failures.map(({ kind }) => kind)).toEqual(['is_directory']);
  expect(await readdir(inside('a.txt'))).toEqual([]);
});

describe('what was cut off', () => {
  it('after a redo is finished by asking again', async () => {
    await on.write('a.txt', 'one');
    const window = await on.changed(edit('c1', 'one', 'ONE'));
    await on.take(window, 'undo');
    await on.take(window, 'redo');
    await window.close();
    await loseLines(1);
    const again = await on.open(AUTO);
    expect(evidenceIn(again)).toMatchObject({ undo_open: [], redo_open: ['a.txt'] });
    await on.take(again, 'redo');
    expect(again.failures).toEqual([]);
    expect(evidenceIn(again)?.redo_open).toEqual([]);
    expect((await on.of('file_change')).at(-1)).toMatchObject({ path: 'a.txt', redo_of: ['c1'] });
  });

  it('is settled first by whoever asks for the other way', async () => {
    await on.write('a.txt', 'one');
    const window = await on.changed(edit('c1', 'one', 'ONE'));
    await on.take(window, 'undo');
    await window.close();
    await loseLines(1);
    const again = await on.open(AUTO);
    await on.take(again, 'redo');
    expect(again.failures).toEqual([]);
    expect(await on.read('a.txt')).toBe('ONE');
    expect((await on.of('file_change')).map(({ undo_of, redo_of }) => [undo_of, redo_of])).toEqual([
      [undefined, undefined],
      [['c1'], undefined],
      [undefined, ['c1']],
    ]);
  });
});
