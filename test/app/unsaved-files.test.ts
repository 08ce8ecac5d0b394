import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isUnsaved } from '../../src/app/unsaved-files.ts';
import { distinctRoots } from '../../src/tools/distinct-roots.ts';
import type { Workspace } from '../../src/tools/workspace-paths.ts';

let base = '';
let open: string[] = [];

beforeEach(async () => {
  open = [];
  base = await realpath(await mkdtemp(join(tmpdir(), 'ledgerline-unsaved-')));
  for (const path of ['web/src/a.ts', 'api/src/a.ts', 'other/api/src/a.ts']) {
    await mkdir(join(base, path, '..'), { recursive: true });
    await writeFile(join(base, path), path);
  }
});

afterEach(() => rm(base, { recursive: true, force: true }));

function workspace(...names: readonly string[]): Workspace {
  const roots = names.map((name) => ({ name: name.split('/').at(-1) ?? '', path: join(base, name) }));
  const { platform } = process;
  return { roots: distinctRoots(roots, platform), storageDir: join(base, 'storage'), platform };
}

function edited(path: string): void {
  open.push(join(base, path));
}

function unsavedOf(paths: readonly string[], among: Workspace): readonly string[] {
  return paths.filter((path) => isUnsaved(path, open, among));
}

test('in one folder a file is known by its path in it', () => {
  edited('web/src/a.ts');
  expect(unsavedOf(['src/a.ts', 'src/b.ts'], workspace('web'))).toEqual(['src/a.ts']);
});

test('of several folders only that one’s file is unsaved, although others have one of that name', () => {
  edited('api/src/a.ts');
  const paths = ['web/src/a.ts', 'api/src/a.ts'];
  expect(unsavedOf(paths, workspace('web', 'api'))).toEqual(['api/src/a.ts']);
});

test('of two folders with one name each has its own', () => {
  edited('other/api/src/a.ts');
  const paths = ['api/src/a.ts', 'api-2/src/a.ts'];
  expect(unsavedOf(paths, workspace('api', 'other/api'))).toEqual(['api-2/src/a.ts']);
});

test('an editor that was opened through a link counts', async () => {
  await symlink(join(base, 'api'), join(base, 'linked'));
  edited('linked/src/a.ts');
  expect(unsavedOf(['api/src/a.ts'], workspace('web', 'linked', 'api'))).toEqual(['api/src/a.ts']);
});

test('a text that is no file of the workspace counts for none', () => {
  edited('elsewhere/src/a.ts');
  expect(unsavedOf(['web/src/a.ts', 'api/src/a.ts'], workspace('web', 'api'))).toEqual([]);
});

test.each([
  ['darwin', ['src/gone.ts']],
  ['linux', []],
] as const)('of a file that is gone the name counts as the disks of %s have it', (platform, expected) => {
  edited('web/src/Gone.ts');
  expect(unsavedOf(['src/gone.ts'], { ...workspace('web'), platform })).toEqual(expected);
});
