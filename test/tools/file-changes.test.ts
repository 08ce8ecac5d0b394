import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  blobsThat,
  Fixture,
  RecordingContext,
  sha,
  stoppedContext,
  swappingFixture,
} from './tool-fixture.ts';

test('writing a new file creates its folders and records the change', async () => {
  using fixture = new Fixture();
  expect(await fixture.run('write_file', { path: 'src/deep/a.ts', content: 'one\ntwo\n' })).toEqual({
    kind: 'success',
    output: 'Created src/deep/a.ts: +2 -0 lines.',
    changes: [
      {
        path: 'src/deep/a.ts',
        made_folders: ['src', 'src/deep'],
        before_sha256: null,
        after_sha256: sha('one\ntwo\n'),
        before_blob: null,
        created: true,
        deleted: false,
        added: 2,
        removed: 0,
      },
    ],
  });
  expect(fixture.read('src/deep/a.ts')).toBe('one\ntwo\n');
  expect(fixture.names('src/deep')).toEqual(['a.ts']);
});

test('calls that write into the same new folder at once all succeed', async () => {
  using fixture = new Fixture();
  const names = Array.from({ length: 20 }, (_, n) => `new/deep/${n}.txt`);
  const outcomes = await Promise.all(names.map((path) => fixture.run('write_file', { path, content: path })));
  expect(outcomes.map((outcome) => outcome.kind)).toEqual(names.map(() => 'success'));
  expect(names.map((path) => fixture.read(path))).toEqual(names);
});

test('replacing a file keeps its former bytes and shows what changed', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', 'one\ntwo\nthree\nfour\nfive\n');
  expect(
    await fixture.run('write_file', { path: 'a.txt', content: 'one\ntwo\nTHREE\nfour\nfive\n' }),
  ).toEqual({
    kind: 'success',
    output: 'Changed a.txt: +1 -1 lines.\n@@ line 1 @@\n one\n two\n-three\n+THREE\n four\n five',
    changes: [
      {
        path: 'a.txt',
        before_sha256: sha('one\ntwo\nthree\nfour\nfive\n'),
        after_sha256: sha('one\ntwo\nTHREE\nfour\nfive\n'),
        before_blob: sha('one\ntwo\nthree\nfour\nfive\n'),
        created: false,
        deleted: false,
        added: 1,
        removed: 1,
      },
    ],
  });
  expect([...fixture.blobs.bodies.values()].map(String)).toEqual(['one\ntwo\nthree\nfour\nfive\n']);
});

test('writing what is there already changes nothing', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', 'same');
  const before = statSync(fixture.path('a.txt')).ino;
  expect(await fixture.run('write_file', { path: 'a.txt', content: 'same' })).toEqual({
    kind: 'success',
    output: 'a.txt already has exactly this content; nothing was written.',
    changes: [],
  });
  expect(statSync(fixture.path('a.txt')).ino).toBe(before);
});

test('mode, mark and line ends of a replaced file are kept', async () => {
  using fixture = new Fixture();
  fixture.write('run.cmd', '\uFEFFone\r\ntwo\r\n');
  chmodSync(fixture.path('run.cmd'), 0o750);
  await fixture.run('write_file', { path: 'run.cmd', content: 'one\n2\n' });
  expect(fixture.read('run.cmd')).toBe('\uFEFFone\r\n2\r\n');
  expect(statSync(fixture.path('run.cmd')).mode & 0o777).toBe(0o750);
});

test('a link in the workspace stays a link and its target is written', async () => {
  using fixture = new Fixture();
  fixture.write('real/a.txt', 'old');
  symlinkSync('real/a.txt', fixture.path('link'));
  symlinkSync('real/new.txt', fixture.path('dangling'));
  expect(await fixture.run('write_file', { path: 'link', content: 'new' })).toMatchObject({
    kind: 'success',
    changes: [{ path: 'real/a.txt' }],
  });
  await fixture.run('write_file', { path: 'dangling', content: 'made' });
  expect([fixture.read('real/a.txt'), fixture.read('real/new.txt')]).toEqual(['new', 'made']);
  expect(readlinkSync(fixture.path('link'))).toBe('real/a.txt');
  expect(lstatSync(fixture.path('dangling')).isSymbolicLink()).toBe(true);
});

test('a file that someone changes meanwhile is not overwritten', async () => {
  let fixture: Fixture | undefined;
  const blobs = blobsThat(() => fixture?.write('a.txt', 'theirs'));
  using created = new Fixture({ blobs });
  fixture = created;
  created.write('a.txt', 'mine');
  expect(await created.run('edit_file', { path: 'a.txt', old_text: 'mine', new_text: 'new' })).toEqual({
    kind: 'failure',
    error: { kind: 'file_changed', message: 'a.txt was changed by someone else meanwhile. Read it again.' },
    changes: [],
  });
  expect(created.read('a.txt')).toBe('theirs');
  expect(created.names()).toEqual(['a.txt']);
});

test('a file that is deleted meanwhile is not made again', async () => {
  let path = '';
  using fixture = new Fixture({ blobs: blobsThat(() => rmSync(path)) });
  path = fixture.write('a.txt', 'mine');
  expect(await fixture.run('write_file', { path: 'a.txt', content: 'new' })).toMatchObject({
    error: { kind: 'file_changed' },
  });
  expect(fixture.names()).toEqual([]);
});

test('stopping before the file is replaced leaves everything as it was', async () => {
  const context = new RecordingContext();
  using fixture = new Fixture({ blobs: blobsThat(() => context.abort()) });
  fixture.write('a.txt', 'old');
  expect(await fixture.run('write_file', { path: 'a.txt', content: 'new' }, context)).toMatchObject({
    kind: 'failure',
    error: { kind: 'cancelled' },
    changes: [],
  });
  expect(fixture.read('a.txt')).toBe('old');
  expect(fixture.names()).toEqual(['a.txt']);

  await fixture.run('write_file', { path: 'new/b.txt', content: 'x' }, stoppedContext());
  expect(existsSync(fixture.path('new'))).toBe(false);
});

test('a folder swapped for a link while a file is being written is noticed', async () => {
  using fixture = swappingFixture();
  expect(await fixture.run('write_file', { path: 'dir/a.txt', content: 'new' })).toMatchObject({
    error: { kind: 'file_changed' },
  });
  expect(readFileSync(join(fixture.outside, 'a.txt'), 'utf8')).toBe('theirs');
  expect(fixture.read('moved/a.txt')).toBe('old');
  expect(fixture.names('moved')).toEqual(['a.txt']);
});

test('what is not a file or is read-only is not written', async () => {
  using fixture = new Fixture();
  mkdirSync(fixture.path('dir'));
  fixture.write('locked.txt', 'x');
  chmodSync(fixture.path('locked.txt'), 0o444);
  const write = async (path: string) => await fixture.say('write_file', { path, content: 'y' });
  expect(await write('dir')).toBe('is_directory: dir is a folder. Use list_files to look inside.');
  expect(await write('locked.txt/a')).toBe(
    'not_found: locked.txt/a does not exist: a part of the path is a file, not a folder.',
  );
  expect(await write('locked.txt')).toBe(
    'io_error: locked.txt is read-only. The user has to change its permissions.',
  );
  expect(await write('../outside/a')).toMatch(/^outside_workspace: /);
  expect(await write('.git/hooks/pre-commit')).toMatch(/^denied_path: /);
});

test('a file over the limit is neither replaced nor edited', async () => {
  using fixture = new Fixture({ limits: { writeBytes: 10 } });
  fixture.write('a.txt', '12345678901');
  expect(await fixture.run('write_file', { path: 'a.txt', content: 'x' })).toMatchObject({
    error: { kind: 'too_large', details: { size: 11, limit: 10 } },
  });
  expect(await fixture.run('write_file', { path: 'b.txt', content: 'x'.repeat(11) })).toMatchObject({
    error: { kind: 'too_large' },
  });
});

test('a long change is shown in part', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', '');
  const content = Array.from({ length: 500 }, (_, n) => `line ${n}`).join('\n');
  const said = await fixture.say('write_file', { path: 'a.txt', content });
  expect(said.split('\n')).toHaveLength(42);
  expect(said.split('\n')[0]).toBe('Changed a.txt: +500 -0 lines.');
  expect(said.split('\n').at(-1)).toBe('[The rest of the change is not shown.]');
});

test('a change can be taken back as long as the file is what the change made', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', 'one');
  const { signal } = new AbortController();
  const changed = await fixture.run('write_file', { path: 'a.txt', content: 'two' });
  const created = await fixture.run('write_file', { path: 'b.txt', content: 'new' });
  if (changed.kind !== 'success' || created.kind !== 'success') throw new Error('written');
  const [change] = changed.changes;
  const [creation] = created.changes;
  if (change === undefined || creation === undefined) throw new Error('recorded');

  fixture.write('a.txt', 'edited by hand');
  expect(await fixture.box.undo(change, Buffer.from('one'), signal)).toMatchObject({
    ok: false,
    error: { kind: 'file_changed' },
  });
  fixture.write('a.txt', 'two');
  expect(await fixture.box.undo(change, Buffer.from('wrong'), signal)).toMatchObject({
    ok: false,
    error: { kind: 'io_error' },
  });
  expect(await fixture.box.undo(change, Buffer.from('one'), signal)).toEqual({
    ok: true,
    value: {
      path: 'a.txt',
      before_sha256: sha('two'),
      after_sha256: sha('one'),
      before_blob: sha('two'),
      created: false,
      deleted: false,
    },
  });
  expect(await fixture.box.undo(creation, null, signal)).toEqual({
    ok: true,
    value: {
      path: 'b.txt',
      before_sha256: sha('new'),
      after_sha256: null,
      before_blob: sha('new'),
      created: false,
      deleted: true,
      before_mode: expect.any(Number),
    },
  });
  expect(fixture.names()).toEqual(['a.txt']);
  expect(fixture.read('a.txt')).toBe('one');
});
