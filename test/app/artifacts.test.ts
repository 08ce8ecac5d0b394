import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { artifactIn } from '../../src/app/artifacts.ts';

function mayRead(display: string): boolean {
  return !display.startsWith('out/private');
}

async function look(path: string, signal = new AbortController().signal) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'll-artifacts-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'out'));
  await writeFile(join(folder, 'out', 'a.bin'), Buffer.alloc(200_000, 7));
  await writeFile(join(folder, 'out', 'private.txt'), '1234');
  const roots = [{ name: 'w', path: folder }];
  const workspace = { roots, storageDir: join(folder, '.s'), platform: process.platform };
  return artifactIn({ workspace, mayRead }, path, signal);
}

test('a file is told by its hash and its size', async () => {
  expect(await look('./out/a.bin')).toEqual({
    path: 'out/a.bin',
    sha256: createHash('sha256').update(Buffer.alloc(200_000, 7)).digest('hex'),
    bytes: 200_000,
  });
});

test.each([
  ['out/b.bin', 'does not exist'],
  ['out', 'folder'],
  ['../x', 'is outside the workspace'],
  ['.env', '.env'],
  ['./out/private.txt', 'A rule keeps it from being read.'],
])('%s is told with what is wrong: %s', async (path, words) => {
  const artifact = await look(path);
  expect([artifact.sha256, artifact.problem]).toEqual([null, expect.stringContaining(words)]);
});

test('one that nobody waits for any more has no hash', async () => {
  expect(await look('out/a.bin', AbortSignal.abort())).toMatchObject({ sha256: null });
});
