import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { standingOf, unfitAttachments } from '../../src/app/attachment-standing.ts';
import { ATTACHMENT_LIMITS } from '../../src/app/attachment-limits.ts';
import { resolveAttachments, type AttachmentPorts, type Resolved } from '../../src/app/attachments.ts';
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

function portsWith(editor: Partial<EditorSource>, deny: readonly string[] = []): AttachmentPorts {
  const roots = [{ name: 'w', path: folder }];
  const storageDir = join(folder, 'storage');
  const none = parseRules({ allow: [], ask: [], deny: [] }, []);
  const rules = parseRules({ allow: [], ask: [], deny: [...deny] }, ['read_file']);
  return {
    workspace: { roots, storageDir, platform: process.platform },
    editor: { unsaved: () => null, edited: () => [], problems: () => [], ...editor },
    tools: createToolBox({ roots, storageDir, blobs: { put: async () => '' } }),
    rules: () => ({ rules, remembered: none, shell: 'posix', storage: [] }),
    mode: 'ask',
    signal: new AbortController().signal,
  };
}

function attached(
  attachment: Attachment,
  editor: Partial<EditorSource>,
): Promise<Resolved<readonly Attachment[]>> {
  return resolveAttachments([attachment], portsWith(editor));
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

test('problems of a file that a rule hides are not attached: they quote it', async () => {
  const at = { line: 3, severity: 'error', message: 'Not so: hunter2.' } as const;
  const problems = (): ReturnType<EditorSource['problems']> => [{ ...at, path: join(folder, 'a.ts') }];
  const given = [{ kind: 'problems' }];
  const seen = await resolveAttachments(given, portsWith({ problems }));
  expect(seen).toMatchObject({ value: [{ text: 'a.ts:3 error Not so: hunter2.' }] });
  const hidden = await resolveAttachments(given, portsWith({ problems }, ['read_file(a.ts)']));
  expect(hidden).toMatchObject({ value: [{ label: 'Problems (0)', text: '[There are no problems.]' }] });
});

/** What was sent of something, as the log would have it. */
async function sent(attachment: Attachment, editor: Partial<EditorSource> = {}): Promise<Attachment> {
  const found = await attached(attachment, editor);
  const one = found.ok ? found.value[0] : undefined;
  if (one === undefined) throw new Error('it cannot be attached');
  return one;
}

test('what was sent is the same until the file, or what an editor has of it, is another', async () => {
  const file = await sent({ kind: 'file', path: 'a.ts' });
  const lines = await sent({ kind: 'selection', path: 'a.ts', start_line: 1, end_line: 1 });
  const given = await sent({ kind: 'selection', path: 'a.ts', text: 'on disk' });
  const listed = await sent({ kind: 'folder', path: '.' });
  const words = await sent({ kind: 'terminal', text: 'exit code 1' });
  const all = [file, lines, given, listed, words];
  const standings = async (
    editor: Partial<EditorSource> = {},
    deny: readonly string[] = [],
  ): Promise<unknown> => {
    const ports = portsWith(editor, deny);
    const found: string[] = [];
    for (const one of all) found.push(await standingOf(one, ports));
    return found;
  };
  expect(await standings()).toEqual(['same', 'same', 'same', 'same', 'none']);
  expect(await standings({ unsaved: () => 'typed' })).toEqual([
    'changed',
    'changed',
    'changed',
    'same',
    'none',
  ]);
  expect(await standings({}, ['read_file(a.ts)'])).toEqual(['denied', 'denied', 'denied', 'same', 'none']);
  await writeFile(join(folder, 'a.ts'), 'more\non disk\n');
  expect(await standings()).toEqual(['changed', 'changed', 'same', 'same', 'none']);
  await rm(join(folder, 'a.ts'));
  expect(await standings()).toEqual(['gone', 'gone', 'gone', 'changed', 'none']);
});

test('a file that has grown too large is another, and not gone', async () => {
  const file = await sent({ kind: 'file', path: 'a.ts' });
  const given = await sent({ kind: 'selection', path: 'a.ts', text: 'on disk' });
  await writeFile(join(folder, 'a.ts'), 'x'.repeat(ATTACHMENT_LIMITS.fileBytes + 1));
  expect(await standingOf(file, portsWith({}))).toBe('changed');
  expect(await standingOf(given, portsWith({}))).toBe('none');
});

test('lines behind what is looked at of a long file are not said to have changed', async () => {
  const long = `${'x'.repeat(99)}\n`.repeat(2_000);
  await writeFile(join(folder, 'a.ts'), `${long}the last line\n`);
  const given = await sent({ kind: 'selection', path: 'a.ts', text: 'the last line' });
  expect(await standingOf(given, portsWith({}))).toBe('none');
  const early = await sent({ kind: 'selection', path: 'a.ts', text: 'xxxx' });
  expect(await standingOf(early, portsWith({}))).toBe('same');
});

test('what has just been attached and cannot be sent is named, with what has no room any more', async () => {
  const text = `${'x'.repeat(99)}\n`.repeat(1_200);
  const names = ['1', '2', '3', '4', '5', '6'];
  for (const name of names) await writeFile(join(folder, name), text);
  const chosen = [...names, '.env', 'gone'].map((path) => ({ id: path, kind: 'file', path }));
  const unfit = await unfitAttachments(chosen, new Set(['5', '.env', 'gone']), portsWith({}));
  expect(unfit).toEqual([
    { id: '5', why: 'The attachments have 585.9 KiB of text; 512.0 KiB fit.' },
    { id: '.env', why: '.env may hold secrets or belongs to version control, so it is not attached.' },
    { id: 'gone', why: 'gone does not exist any more.' },
  ]);
  expect(await unfitAttachments(chosen.slice(1, 5), new Set(['5']), portsWith({}))).toEqual([]);
});
