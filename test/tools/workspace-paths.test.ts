import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { distinctRoots } from '../../src/tools/distinct-roots.ts';
import { resolvePath, type Workspace } from '../../src/tools/workspace-paths.ts';
import { Fixture, RecordingContext } from './tool-fixture.ts';

function workspaceOf(fixture: Fixture, folders: readonly string[] = []): Workspace {
  const roots =
    folders.length === 0
      ? [{ name: 'ws', path: fixture.root }]
      : folders.map((name) => ({ name, path: join(fixture.root, name) }));
  return { roots, storageDir: fixture.storage, platform: 'linux' };
}

function resolved(fixture: Fixture, path: string): string {
  const answer = resolvePath(workspaceOf(fixture), path);
  return answer.ok ? answer.value.display : answer.error.kind;
}

test('a path is named from the workspace folder, however it was written', () => {
  using fixture = new Fixture();
  fixture.write('src/a.ts', '');
  for (const path of ['src/a.ts', './src//a.ts', 'src/../src/a.ts', fixture.path('src/a.ts'), 'src/a.ts/']) {
    expect(resolved(fixture, path)).toBe('src/a.ts');
  }
  expect(resolved(fixture, fixture.root)).toBe('.');
  expect(resolved(fixture, 'new/folder/file.ts')).toBe('new/folder/file.ts');
});

test('a path outside the workspace is refused', () => {
  using fixture = new Fixture();
  writeFileSync(join(fixture.outside, 'x.txt'), '');
  for (const path of [
    '..',
    '../outside/x.txt',
    '/etc/passwd',
    '/',
    'a/../../outside',
    `${fixture.root}2/x`,
  ]) {
    expect(resolved(fixture, path)).toBe('outside_workspace');
  }
});

test('a link counts as what it leads to', () => {
  using fixture = new Fixture();
  fixture.write('real/a.txt', '');
  fixture.write('.env', 'KEY=1');
  writeFileSync(join(fixture.outside, 'x.txt'), '');
  symlinkSync('real/a.txt', fixture.path('good'));
  symlinkSync('real', fixture.path('good-folder'));
  symlinkSync('good', fixture.path('good-twice'));
  symlinkSync(join(fixture.outside, 'x.txt'), fixture.path('bad'));
  symlinkSync('bad', fixture.path('bad-twice'));
  symlinkSync(fixture.outside, fixture.path('bad-folder'));
  symlinkSync('.env', fixture.path('settings.txt'));
  symlinkSync('loop-b', fixture.path('loop-a'));
  symlinkSync('loop-a', fixture.path('loop-b'));
  expect(
    Object.fromEntries(
      [
        'good',
        'good-folder/a.txt',
        'good-folder/new.txt',
        'good-twice',
        'bad',
        'bad-twice',
        'bad-folder/x.txt',
        'bad-folder/new.txt',
        'settings.txt',
        'loop-a',
      ].map((path) => [path, resolved(fixture, path)]),
    ),
  ).toEqual({
    good: 'real/a.txt',
    'good-folder/a.txt': 'real/a.txt',
    'good-folder/new.txt': 'real/new.txt',
    'good-twice': 'real/a.txt',
    bad: 'outside_workspace',
    'bad-twice': 'outside_workspace',
    'bad-folder/x.txt': 'outside_workspace',
    'bad-folder/new.txt': 'outside_workspace',
    'settings.txt': 'denied_path',
    'loop-a': 'invalid_path',
  });
});

test('a dangling link counts as the file that would be created through it', () => {
  using fixture = new Fixture();
  symlinkSync('later.txt', fixture.path('inside'));
  symlinkSync(join(fixture.outside, 'later.txt'), fixture.path('outside'));
  symlinkSync('.env.local', fixture.path('harmless'));
  symlinkSync('outside', fixture.path('twice'));
  symlinkSync('missing/deep.txt', fixture.path('deep'));
  expect(['inside', 'outside', 'harmless', 'twice', 'deep'].map((path) => resolved(fixture, path))).toEqual([
    'later.txt',
    'outside_workspace',
    'denied_path',
    'outside_workspace',
    'missing/deep.txt',
  ]);
});

test('a denied name is refused even where it is a link to something harmless', () => {
  using fixture = new Fixture();
  fixture.write('a.txt', '');
  symlinkSync('a.txt', fixture.path('.env'));
  expect(resolved(fixture, '.env')).toBe('denied_path');
});

test('the storage folder is denied also when it is inside the workspace or behind a link', () => {
  using fixture = new Fixture();
  mkdirSync(fixture.path('state/sessions'), { recursive: true });
  symlinkSync('state', fixture.path('alias'));
  const workspace = { ...workspaceOf(fixture), storageDir: fixture.path('state') };
  const kinds = ['state/sessions/x.jsonl', 'alias/x', 'state'].map((path) => {
    const answer = resolvePath(workspace, path);
    return answer.ok ? 'ok' : answer.error.kind;
  });
  expect(kinds).toEqual(['denied_path', 'denied_path', 'denied_path']);
});

test('a workspace folder that is itself a link is the workspace all the same', () => {
  using fixture = new Fixture();
  fixture.write('a.txt', '');
  const alias = join(fixture.folder, 'alias');
  symlinkSync(fixture.root, alias);
  const workspace = { ...workspaceOf(fixture), roots: [{ name: 'alias', path: alias }] };
  for (const path of ['a.txt', join(alias, 'a.txt'), fixture.path('a.txt')]) {
    expect(resolvePath(workspace, path)).toMatchObject({
      ok: true,
      value: { display: 'a.txt', real: fixture.path('a.txt') },
    });
  }
});

test('a name that is stored decomposed is found when written composed', () => {
  using fixture = new Fixture();
  fixture.write('cafe\u0301.txt', 'x');
  expect(resolved(fixture, 'caf\u00e9.txt')).toBe('cafe\u0301.txt');
});

test('with several folders a path starts with the name of its folder', () => {
  using fixture = new Fixture();
  fixture.write('app/a.txt', '');
  fixture.write('lib/b.txt', '');
  const workspace = workspaceOf(fixture, ['app', 'lib']);
  expect(resolvePath(workspace, 'lib/b.txt')).toMatchObject({ ok: true, value: { display: 'lib/b.txt' } });
  expect(resolvePath(workspace, fixture.path('app/a.txt'))).toMatchObject({
    ok: true,
    value: { display: 'app/a.txt' },
  });
  expect(resolvePath(workspace, 'lib')).toMatchObject({ ok: true, value: { display: 'lib' } });
  expect(resolvePath(workspace, 'b.txt')).toEqual({
    ok: false,
    error: { kind: 'invalid_path', message: 'b.txt: start the path with its folder: app/, lib/.' },
  });
  expect(resolvePath(workspace, 'app/../lib/b.txt')).toMatchObject({ value: { display: 'lib/b.txt' } });
  expect(resolvePath(workspace, 'app/../other')).toMatchObject({ error: { kind: 'outside_workspace' } });
});

test('folders of the same name are told apart', () => {
  const roots = [
    { name: 'app', path: '/a/app' },
    { name: 'app', path: '/b/app' },
    { name: 'App', path: '/c/App' },
  ];
  expect(distinctRoots(roots, 'linux').map((root) => root.name)).toEqual(['app', 'app-2', 'App']);
  expect(distinctRoots(roots, 'darwin').map((root) => root.name)).toEqual(['app', 'app-2', 'App-3']);
});

test('a path that leads elsewhere by the time it runs is not touched', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', 'a');
  fixture.write('b.txt', 'b');
  symlinkSync('a.txt', fixture.path('link'));
  const call = fixture.prepare('write_file', { path: 'link', content: 'new' });
  expect(call).toMatchObject({ subject: 'a.txt', writes: [fixture.path('a.txt')] });
  rmSync(fixture.path('link'));
  symlinkSync('b.txt', fixture.path('link'));
  expect(await fixture.box.run(call, new RecordingContext())).toEqual({
    kind: 'failure',
    error: {
      kind: 'file_changed',
      message: 'link led to a.txt when the call was checked and now leads to b.txt. Call the tool again.',
    },
    changes: [],
  });
  expect([fixture.read('a.txt'), fixture.read('b.txt')]).toEqual(['a', 'b']);
});

test('a folder swapped for a link out of the workspace before the run is not followed', async () => {
  using fixture = new Fixture();
  fixture.write('dir/x.txt', 'inside');
  writeFileSync(join(fixture.outside, 'x.txt'), 'outside');
  const read = fixture.prepare('read_file', { path: 'dir/x.txt' });
  const write = fixture.prepare('write_file', { path: 'dir/x.txt', content: 'new' });
  renameSync(fixture.path('dir'), fixture.path('old'));
  symlinkSync(fixture.outside, fixture.path('dir'));
  for (const call of [read, write]) {
    expect(await fixture.box.run(call, new RecordingContext())).toMatchObject({
      kind: 'failure',
      error: { kind: 'outside_workspace' },
    });
  }
});
