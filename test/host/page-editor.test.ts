import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replacementFor, withLastLineEnd } from '../../src/host/code-blocks.ts';
import { findFile, noFileWords } from '../../src/host/open-path.ts';
import { isForEditor } from '../../src/host/page-messages.ts';
import { parsePresenterMessage } from '../../src/presenter/protocol.ts';
import type { Workspace } from '../../src/tools/workspace-paths.ts';

let base = '';
let workspace: Workspace;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'ledgerline-open-')));
  const root = join(base, 'project');
  mkdirSync(join(root, 'src'), { recursive: true });
  mkdirSync(join(root, '.git'));
  writeFileSync(join(root, 'src', 'a.ts'), 'a\n');
  writeFileSync(join(root, '.git', 'config'), '');
  writeFileSync(join(base, 'outside.ts'), '');
  symlinkSync(join(base, 'outside.ts'), join(root, 'link.ts'));
  symlinkSync(join(root, 'src', 'a.ts'), join(root, 'inner.ts'));
  workspace = {
    roots: [{ name: 'project', path: root }],
    storageDir: join(base, 'storage'),
    platform: process.platform,
  };
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

function outcome(path: string): string {
  const found = findFile(workspace, path);
  return found.kind === 'none' ? found.reason : `${found.kind} ${found.path.display}`;
}

describe('a path from a page', () => {
  test.each([
    ['src/a.ts', 'file src/a.ts'],
    ['./src/a.ts', 'file src/a.ts'],
    ['inner.ts', 'file src/a.ts'],
    ['src/new.ts', 'free src/new.ts'],
    ['src', 'not_a_file'],
    ['../outside.ts', 'outside_workspace'],
    ['src/../../outside.ts', 'outside_workspace'],
    ['/etc/passwd', 'outside_workspace'],
    ['link.ts', 'outside_workspace'],
    ['.git/config', 'denied_version_control'],
    ['.env', 'denied_secret'],
    ['src/server.key', 'denied_secret'],
    ['../storage/sessions/s1.jsonl', 'outside_workspace'],
    ['~/.ssh/id_rsa', 'invalid_path'],
    ['file:///etc/passwd', 'invalid_path'],
    ['src/a.ts\u0000.png', 'invalid_path'],
    ['', 'invalid_path'],
  ])('%j is %s', (path, expected) => {
    expect(outcome(path)).toBe(expected);
  });

  test('that is absolute counts where it ends in the workspace', () => {
    expect(outcome(join(base, 'project', 'src', 'a.ts'))).toBe('file src/a.ts');
    expect(outcome(join(base, 'outside.ts'))).toBe('outside_workspace');
  });
});

function t(message: string, ...values: (string | number)[]): string {
  return message.replaceAll(/\{(\d)\}/g, (_whole, index: string) => String(values[Number(index)]));
}

function said(path: string, within = workspace): string {
  const found = findFile(within, path);
  return found.kind === 'none' ? noFileWords(path, found.reason, t) : found.kind;
}

describe('what is said of a path that is not opened', () => {
  test.each([
    ['.env', '.env may hold secrets (.env files, keys, credentials), which are denied in the chat.'],
    [
      '.git/config',
      '.git/config is inside version control (.git and the like), which is denied in the chat.',
    ],
    ['../outside.ts', '../outside.ts is outside of the workspace'],
    ['link.ts', 'link.ts is outside of the workspace'],
    ['src/a.ts\u0000', 'src/a.ts\u0000 is not the path of a file in this workspace.'],
  ])('%j: what is true, and what to do', (path, expected) => {
    expect(said(path).startsWith(expected)).toBe(true);
    expect(said(path)).toMatch(/open it yourself|Nothing was/);
  });

  test('storage inside of the workspace is named as such', () => {
    const within = { ...workspace, storageDir: join(base, 'project', 'src') };
    expect(said('src/a.ts', within)).toMatch(/^src\/a\.ts is in Ledgerline’s own storage/);
  });
});

function applied(before: string, code: string): string {
  const change = replacementFor(before, code);
  if (change === null) return before;
  const lines = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return [...lines.slice(0, change.from), change.text, ...lines.slice(change.to)].join('');
}

describe('applying code', () => {
  test('replaces the lines that differ', () => {
    expect(replacementFor('a\nb\nc\nd\n', 'a\nB\nc\nd')).toEqual({ from: 1, to: 2, text: 'B\n' });
    expect(replacementFor('a\nb\n', 'a\nx\nb\n')).toEqual({ from: 1, to: 1, text: 'x\n' });
    expect(replacementFor('', 'a')).toEqual({ from: 0, to: 0, text: 'a\n' });
  });

  test('changes nothing where nothing differs but the ends of lines', () => {
    expect(replacementFor('a\r\nb\r\n', 'a\nb')).toBeNull();
  });

  test('leads to the code, whatever was there', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', '', 'a b'), { maxLength: 8 })
      .map((one) => one.join('\n'));
    fc.assert(
      fc.property(text, text, (before, code) => {
        expect(applied(before, code)).toBe(withLastLineEnd(code));
      }),
      { seed: 20261116 },
    );
  });
});

test('what needs the editor is known by its type', () => {
  const types = ['open', 'code'].map((type) => {
    const parsed = parsePresenterMessage({ type, path: 'a', action: 'copy', text: 'x' });
    return parsed.ok && isForEditor(parsed.message);
  });
  expect(types).toEqual([true, true]);
  const ready = parsePresenterMessage({ type: 'ready' });
  expect(ready.ok && isForEditor(ready.message)).toBe(false);
});
