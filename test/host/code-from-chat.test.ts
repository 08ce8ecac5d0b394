import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { isMuchShorter } from '../../src/host/code-blocks.ts';
import { CodeProposals } from '../../src/host/code-proposals.ts';
import { PROPOSED_CODE } from '../../src/host/contribution-ids.ts';
import { carryOut } from '../../src/host/page-editor.ts';
import { ShownDocuments } from '../../src/host/shown-documents.ts';
import type { Workspace } from '../../src/tools/workspace-paths.ts';
import { closeTabs, double, type Editor, Uri } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const SHOWN = Uri.from({ scheme: 'ledgerline-shown', path: '/a.ts' });
const INSERT = { v: 1, type: 'code', action: 'insert', text: 'x' } as const;
const PROPOSAL = { path: 'a.ts', before: 'old', after: 'new', question: 'Apply?', title: 'a.ts' };

let inserted: string[] = [];
let workspace: Workspace;
const failures: unknown[] = [];

beforeAll(() => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'ledgerline-code-')));
  writeFileSync(join(root, 'run.sh'), 'old\n');
  workspace = { roots: [{ name: 'w', path: root }], storageDir: join(root, 's'), platform: process.platform };
});

afterAll(() => rmSync(workspace.roots[0]?.path ?? '', { recursive: true, force: true }));

beforeEach(() => {
  inserted = [];
});

function editor(uri: Uri): Editor {
  return {
    document: { uri },
    selection: '',
    edit: async (change) => {
      change({ replace: (_, text) => inserted.push(`${text} into ${uri.toString()}`) });
      return true;
    },
  };
}

function proposals(): CodeProposals {
  return new CodeProposals(new ShownDocuments(), (error) => failures.push(error));
}

function insert() {
  return carryOut(INSERT, { workspace, proposals: proposals() });
}

describe('code is inserted', () => {
  test('into a file that is in view, when what is in front cannot be changed', async () => {
    double.editors = [editor(SHOWN), editor(Uri.file('/w/b.ts'))];
    expect(await insert()).toBeNull();
    expect(inserted).toEqual(['x into file:/w/b.ts']);
  });

  test('nowhere when only what cannot be changed is in view, and that is said', async () => {
    double.editors = [editor(SHOWN)];
    expect(await insert()).toMatchObject({ kind: 'not_editable' });
    expect(inserted).toEqual([]);
  });
});

describe('code to apply', () => {
  test.each([
    [{ language: 'bash' }, 'for_terminal'],
    [{ language: 'bash', guess: 'gone.sh' }, 'for_terminal'],
    [{ language: 'ts', guess: 'node.js' }, 'no_target'],
  ])('of %j is refused: %s', async (about, kind) => {
    const message = { v: 1, type: 'code', action: 'apply', text: 'x', ...about } as const;
    expect(await carryOut(message, { workspace, proposals: proposals() })).toMatchObject({ kind });
    expect(double.commands).toEqual([]);
  });

  test('takes most of a file away when it has less than half of its lines', () => {
    expect([isMuchShorter('a\n', 'a\n'.repeat(40)), isMuchShorter('a\nb\n', 'a\nb\nc\n')]).toEqual([
      true,
      false,
    ]);
  });
});

/** What menus were last told. */
function offered(): unknown {
  return double.commands.findLast(([name, key]) => name === 'setContext' && key === PROPOSED_CODE)?.[2];
}

describe('a proposal', () => {
  test('can be applied for as long as its diff is open, and the diff is closed then', async () => {
    const all = proposals();
    const wanted = all.isWanted(PROPOSAL);
    await expect.poll(() => double.questions).toEqual(['Apply?']);
    expect(offered()).toEqual([expect.stringContaining('ledgerline-shown:/a.ts')]);
    all.apply();
    expect([await wanted, double.tabs, offered()]).toEqual([true, [], []]);
  });

  test('is withdrawn when its diff is closed, and what is clicked later applies nothing', async () => {
    const all = proposals();
    const wanted = all.isWanted(PROPOSAL);
    await expect.poll(() => double.tabs.length).toBe(1);
    await closeTabs();
    all.apply();
    expect([await wanted, offered()]).toEqual([false, []]);
  });

  test('is withdrawn by another one', async () => {
    const all = proposals();
    const first = all.isWanted(PROPOSAL);
    await expect.poll(() => double.tabs.length).toBe(1);
    const second = all.isWanted({ ...PROPOSAL, after: 'newer' });
    expect(await first).toBe(false);
    await expect.poll(() => double.tabs.length).toBe(1);
    all.discard();
    expect([await second, failures]).toEqual([false, []]);
  });
});
