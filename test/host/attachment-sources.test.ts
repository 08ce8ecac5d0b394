import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AttachmentSources } from '../../src/host/attachment-sources.ts';
import { composedFiles } from '../../src/host/dropped-files.ts';
import { double, folder, Uri, vscodeDouble } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

let base = '';

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'ledgerline-sources-'));
  await mkdir(join(base, 'web', 'src'), { recursive: true });
  await mkdir(join(base, 'web', 'node_modules'));
  await writeFile(join(base, 'web', 'package.json'), '{}');
});

afterEach(() => rm(base, { recursive: true, force: true }));

test('open editors of one name have their folders with them, and files that are dropped the same names', async () => {
  double.folders = [folder(join(base, 'web'))];
  const open = ['src/a/index.ts', 'index.ts'].map((path) => Uri.file(join(base, 'web', path)));
  double.tabs = open.map((uri) => ({ input: new vscodeDouble.TabInputText(uri) }));
  const sources = new AttachmentSources();
  const found = await sources.find('index');
  sources.dispose();
  expect(found?.map(({ label, detail }) => `${label} ${detail}`)).toEqual([
    'index.ts src/a · Open editor',
    'index.ts Open editor',
  ]);
  const dropped = await composedFiles([join(base, 'web', 'src/'), join(base, 'web', 'gone.ts'), '/etc/x']);
  expect(dropped.attachments).toEqual([
    { kind: 'folder', label: 'src', path: 'src' },
    { kind: 'file', label: 'gone.ts', path: 'gone.ts' },
    { kind: 'file', label: 'x', path: '/etc/x' },
  ]);
});

async function paths(): Promise<readonly (string | undefined)[] | null> {
  const sources = new AttachmentSources();
  const found = await sources.find('');
  sources.dispose();
  return found?.map(({ attachment }) => attachment.path) ?? null;
}

test('the folders of the workspace are suggested', async () => {
  double.folders = [folder(join(base, 'web'))];
  expect(await paths()).toEqual(['src']);
});

test('a folder of the workspace that is gone takes no suggestion of the others away', async () => {
  double.folders = [folder(join(base, 'gone')), folder(join(base, 'web'))];
  expect(await paths()).toEqual(expect.arrayContaining(['web/src']));
});

test('a workspace whose only folder is gone has no suggestion, and no failure', async () => {
  double.folders = [folder(join(base, 'gone'))];
  expect(await paths()).toEqual([]);
});
