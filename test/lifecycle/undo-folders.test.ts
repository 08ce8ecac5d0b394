import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asks, says, stage, type Window } from './window.ts';

const on = stage();

const write = (call_id: string, path: string) => [call_id, 'write_file', { path, content: call_id }] as const;
const command = (call_id: string, line: string) => [call_id, 'run_command', { command: line }] as const;

type Call = readonly [call_id: string, name: string, args: object];

async function changed(...rounds: readonly (readonly Call[])[]): Promise<Window> {
  const window = await on.turn('Change it.', [...rounds.map((calls) => asks(...calls)), says('Done.')], {
    permissionMode: 'auto',
  });
  expect(window.state).toBe('completed');
  return window;
}

async function undo(window: Window, path?: string): Promise<void> {
  const turn_id = (await on.of('user_message')).at(-1)?.turn_id ?? '';
  await window.receive({ type: 'undo', turn_id, ...(path === undefined ? {} : { path }) });
}

function inside(path: string): string {
  return join(on.place.workspace, path);
}

async function isThere(path: string): Promise<boolean> {
  return stat(inside(path)).then(
    () => true,
    () => false,
  );
}

describe('undoing a created file', () => {
  it('removes the folders that were made for it, and both are on record', async () => {
    await on.write('src/old.ts', 'old');
    const window = await changed([write('c1', 'src/new/deep/a.ts')]);
    expect((await on.of('file_change'))[0]?.made_folders).toEqual(['src/new', 'src/new/deep']);
    await undo(window);
    expect(await readdir(inside('src'))).toEqual(['old.ts']);
    expect((await on.of('file_change')).at(-1)).toMatchObject({
      path: 'src/new/deep/a.ts',
      deleted: true,
      undo_of: ['c1'],
      removed_folders: ['src/new', 'src/new/deep'],
    });
    expect(window.failures).toEqual([]);
  });

  it('leaves a folder that was there before, also when it is empty then', async () => {
    await mkdir(inside('empty'));
    const window = await changed([write('c1', 'empty/a.ts')]);
    await undo(window);
    expect(await readdir(inside('empty'))).toEqual([]);
    const last = (await on.of('file_change')).at(-1);
    expect([last?.deleted, last?.removed_folders]).toEqual([true, undefined]);
  });

  it('leaves a folder that has something else in it, and those above', async () => {
    const window = await changed([write('c1', 'new/deep/a.ts')]);
    await on.write('new/mine.txt', 'mine');
    await undo(window);
    expect(await readdir(inside('new'))).toEqual(['mine.txt']);
    expect((await on.of('file_change')).at(-1)?.removed_folders).toEqual(['new/deep']);
  });

  it('removes a folder with the last of the files that the turn put there', async () => {
    const window = await changed([write('c1', 'new/a.ts')], [write('c2', 'new/b.ts')]);
    await undo(window, 'new/a.ts');
    expect(await readdir(inside('new'))).toEqual(['b.ts']);
    await undo(window, 'new/b.ts');
    expect(await isThere('new')).toBe(false);
  });

  it('leaves a folder that a command made', async () => {
    const window = await changed([command('c1', 'mkdir made')], [write('c2', 'made/a.ts')]);
    await undo(window);
    expect(await readdir(inside('made'))).toEqual([]);
  });

  it('removes nothing behind a link that has taken the place of a folder', async () => {
    const window = await changed([write('c1', 'new/a.ts')]);
    await rename(inside('new'), inside('moved'));
    await symlink('moved', inside('new'));
    await undo(window);
    expect([await isThere('moved'), await isThere('new')]).toEqual([true, true]);
  });

  it('that is gone already leaves its folder', async () => {
    const window = await changed([write('c1', 'new/a.ts')]);
    await rm(inside('new/a.ts'));
    await undo(window);
    expect(window.failures.at(-1)?.kind).toBe('file_gone');
    expect(await isThere('new')).toBe(true);
  });

  it('removes them also where it was cut off after the file', async () => {
    const window = await changed([write('c1', 'new/a.ts')]);
    await undo(window);
    await window.close();
    // As if the process had ended between the file and its folder: the last line is lost.
    const log = join(on.place.storage, 'sessions', 's1.jsonl');
    const lines = (await readFile(log, 'utf8')).split('\n').slice(0, -2);
    await writeFile(log, `${lines.join('\n')}\n`);
    await mkdir(inside('new'));
    const again = await on.open({ permissionMode: 'auto' });
    await undo(again);
    expect(again.failures).toEqual([]);
    expect(await isThere('new')).toBe(false);
    expect((await on.of('file_change')).at(-1)).toMatchObject({ undo_of: ['c1'], removed_folders: ['new'] });
  });
});
