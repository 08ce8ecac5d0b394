import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  changedFiles,
  namesIn,
  newBinaryDiff,
  newFileDiff,
  withoutFiles,
} from '../../src/host/diff-files.ts';

const run = promisify(execFile);
const PLAIN = 'private/plän b.txt';
let folder: string;

async function git(...args: readonly string[]): Promise<string> {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
  return (await run('git', ['-C', folder, ...identity, ...args])).stdout;
}

async function write(name: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), text);
}

/** Files that are alike would be taken for one that moved. */
function long(name: string): string {
  return Array.from({ length: 20 }, (_, index) => `${name} ${index}\n`).join('');
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ledgerline-diff-'));
  await git('init', '-q');
  for (const name of ['a/open.txt', PLAIN, 'gone.txt', 'old name.txt']) await write(name, long(name));
  await git('add', '.');
  await git('commit', '-q', '-m', 'Begin');
  await write('a/open.txt', `${long('a/open.txt')}--- a/looks/like/a/name.txt\n`);
  await write(PLAIN, `${long(PLAIN)}the secret plan\n`);
  await write('picture.bin', 'a\u0000b');
  await rename(join(folder, 'old name.txt'), join(folder, 'new name.txt'));
  await write('new name.txt', `${long('old name.txt')}moved\n`);
  await rm(join(folder, 'gone.txt'));
  await git('add', '-A');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each([
  ['as Git writes it by itself', []],
  ['with letters for its two sides', ['-c', 'diff.mnemonicPrefix=true']],
  ['without any letters', ['-c', 'diff.noprefix=true']],
  ['with names as they are', ['-c', 'core.quotePath=false']],
])('a diff, %s,', (_name, settings) => {
  test('tells the names of its files', async () => {
    const diff = await git(...settings, 'diff', '--cached');
    expect(namesIn(diff)).toEqual(expect.arrayContaining(['a/open.txt', PLAIN, 'gone.txt', 'picture.bin']));
    expect(namesIn(diff)).toEqual(expect.arrayContaining(['old name.txt', 'new name.txt']));
    expect(namesIn(diff)).not.toContain('looks/like/a/name.txt');
    expect(changedFiles(diff)).toEqual(['a/open.txt', 'gone.txt', 'new name.txt', 'picture.bin', PLAIN]);
  });

  test('leaves out what may not be sent, and says so', async () => {
    const diff = await git(...settings, 'diff', '--cached');
    const { text, any } = withoutFiles(diff, (name) => !name.startsWith('private/'));
    expect(text).not.toContain('the secret plan');
    expect(text).toContain(`[The changes of ${PLAIN} are left out: they may not be sent.]\n`);
    expect(text).toContain('+moved');
    expect(any).toBe(true);
  });
});

test('a file that moved is left out by either of its names', async () => {
  const diff = await git('diff', '--cached');
  for (const name of ['old name.txt', 'new name.txt'])
    expect(withoutFiles(diff, (one) => one !== name).text).not.toContain('+moved');
});

test('of a merge, every file is a part of its own', () => {
  const merged =
    'diff --cc private/a.txt\nindex 1,2..3\n--- a/private/a.txt\n+++ b/private/a.txt\n@@@ -1 @@@\n++x\n';
  const other = 'diff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n+y\n';
  const { text } = withoutFiles(other + merged, (name) => name === 'b.txt');
  expect(text).toBe(`${other}[The changes of private/a.txt are left out: they may not be sent.]\n`);
});

test('what another program makes of a diff cannot be told apart, and is left out', () => {
  expect(withoutFiles('private/a.txt --- Text\n1 the plan\n', () => true)).toEqual({
    text: '[Changes are left out here: of which file they are cannot be told.]\n',
    any: false,
  });
  expect(withoutFiles('', () => true)).toEqual({ text: '', any: false });
});

test('a file that Git does not know yet looks as it will once Git does', async () => {
  await write('fresh.txt', 'one\ntwo\n');
  await git('add', 'fresh.txt');
  const lines = (await git('diff', '--cached', '--', 'fresh.txt')).split('\n');
  const known = lines.filter((line) => !line.startsWith('index ')).join('\n');
  expect(newFileDiff('fresh.txt', 'one\ntwo\n')).toBe(known);
});

test('a name cannot pass for a line of the diff', () => {
  const name = 'a\ndiff --git a/x b/x';
  for (const diff of [newFileDiff(name, 'text'), newBinaryDiff(name)]) expect(namesIn(diff)).toEqual([name]);
});
