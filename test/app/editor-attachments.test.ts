import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveAttachments, type Resolved } from '../../src/app/attachments.ts';
import type { EditorSource } from '../../src/app/conversation-options.ts';
import type { Attachment } from '../../src/runtime/events.ts';
import { parseRules } from '../../src/runtime/permissions/rules.ts';
import { createToolBox } from '../../src/tools/tool-box.ts';

/** What is attached where there is an editor. */

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'ledgerline-editor-')));
  await writeFile(join(folder, 'a.ts'), 'on disk\n');
  await writeFile(join(folder, '.env'), 'TOKEN=1\n');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function attached(
  attachment: Attachment,
  editor: Partial<EditorSource>,
): Promise<Resolved<readonly Attachment[]>> {
  const roots = [{ name: 'w', path: folder }];
  const storageDir = join(folder, 'storage');
  const none = parseRules({ allow: [], ask: [], deny: [] }, []);
  return resolveAttachments([attachment], {
    workspace: { roots, storageDir, platform: process.platform },
    editor: { unsaved: () => null, problems: () => [], ...editor },
    tools: createToolBox({ roots, storageDir, blobs: { put: async () => '' } }),
    rules: () => ({ rules: none, remembered: none, shell: 'posix', storage: [] }),
    mode: 'ask',
    signal: new AbortController().signal,
  });
}

test('an editor is what the person sees in it, saved or not', async () => {
  const path = join(folder, 'a.ts');
  const unsaved = (paths: readonly string[]): string | null =>
    paths.includes(path) ? 'one\ntwo\nthree' : null;
  const shown = await attached({ kind: 'editor', path: 'a.ts' }, { unsaved });
  expect(shown).toMatchObject({
    ok: true,
    value: [
      {
        kind: 'editor',
        path: 'a.ts',
        text: '[As it stands in the editor, with changes that are not saved.]\none\ntwo\nthree',
        unsaved: true,
        bytes: 13,
      },
    ],
  });
  const lines = { kind: 'selection', path: 'a.ts', start_line: 2, end_line: 2 };
  expect(await attached(lines, { unsaved })).toMatchObject({
    value: [{ text: expect.stringMatching(/\]\ntwo$/u) }],
  });
  const saved = await attached({ kind: 'editor', path: 'a.ts' }, {});
  expect(saved).toMatchObject({ value: [{ text: 'on disk\n' }] });
});

test('an editor with secrets in it is not attached', async () => {
  const shown = await attached({ kind: 'editor', path: '.env' }, { unsaved: () => 'TOKEN=2' });
  expect(shown).toMatchObject({ ok: false, code: 'attachment_denied' });
});

test('problems are those of the workspace, when the message is sent', async () => {
  const at = { line: 3, severity: 'error', message: 'Not so.' } as const;
  const paths = [join(folder, 'a.ts'), join(folder, '.env'), '/elsewhere/b.ts'];
  const problems = (): ReturnType<EditorSource['problems']> => paths.map((path) => ({ ...at, path }));
  expect(await attached({ kind: 'problems', label: 'Problems (9)' }, { problems })).toMatchObject({
    value: [{ kind: 'problems', label: 'Problems (1)', text: 'a.ts:3 error Not so.' }],
  });
});
