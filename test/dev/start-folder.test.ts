import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { prepareStartFolder } from '../../src/dev/start-folder.mjs';
import { projectPath } from '../../src/dev/project.mjs';

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'll-start-folder-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const SHIPPED = projectPath('test', 'sample-workspace');

test('the first start has the sample project as it is shipped', async () => {
  const { workspace } = await prepareStartFolder(await temporaryFolder(), { fresh: false });
  expect((await readdir(workspace)).toSorted()).toEqual((await readdir(SHIPPED)).toSorted());
});

test('what somebody made of it is there at the next start, and gone only with fresh', async () => {
  const folder = await temporaryFolder();
  const { workspace } = await prepareStartFolder(folder, { fresh: false });
  const mine = path.join(workspace, 'mine.txt');
  await writeFile(mine, 'mine');
  await prepareStartFolder(folder, { fresh: false });
  expect(await readFile(mine, 'utf8')).toBe('mine');
  await prepareStartFolder(folder, { fresh: true });
  expect(existsSync(mine)).toBe(false);
});
