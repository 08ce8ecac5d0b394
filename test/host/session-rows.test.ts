import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { SessionEntry } from '../../src/app/sessions.ts';
import { pickSession, type PickOptions } from '../../src/host/session-picker.ts';
import { sessionRowCommands } from '../../src/host/session-row-commands.ts';
import { ARCHIVE } from '../../src/host/sessions-tree.ts';
import { double } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

beforeEach(() => double.reset());

const NAMES = [
  'openSession',
  'fork',
  'exportSession',
  'renameSession',
  'pinSession',
  'unpinSession',
  'archiveSession',
  'unarchiveSession',
  'deleteSession',
  'restoreSession',
  'searchSessions',
  'copySessionId',
  'openLog',
] as const;

function rows(): { readonly commands: ReturnType<typeof sessionRowCommands>; readonly done: unknown[] } {
  const done: unknown[] = [];
  const handlers = Object.fromEntries(
    NAMES.map((name) => [name, (session: unknown) => void done.push([name, session])]),
  );
  return { commands: sessionRowCommands(handlers as Parameters<typeof sessionRowCommands>[0]), done };
}

describe('a command of a line in the tree of sessions', () => {
  test('acts on its line', async () => {
    const { commands, done } = rows();
    await commands.deleteSessionRow('ses_1', undefined);
    await commands.openSessionRowLog('ses_2');
    expect(done).toEqual([
      ['deleteSession', 'ses_1'],
      ['openLog', 'ses_2'],
    ]);
    expect(double.questions).toEqual([]);
  });

  test('does nothing, and says so, when VS Code lost the line', async () => {
    const { commands, done } = rows();
    for (const run of Object.values(commands)) {
      double.questions = [];
      for (const lost of [undefined, null, { $treeViewId: 'ledgerline.sessions' }]) await run(lost);
      expect(double.questions).toHaveLength(3);
    }
    expect(done).toEqual([]);
  });

  test('is not for the line above the archived ones', async () => {
    const { commands, done } = rows();
    await commands.deleteSessionRow(ARCHIVE);
    expect([done, double.questions]).toEqual([[], []]);
  });
});

function entry(session_id: string, title: string): SessionEntry {
  return {
    session_id,
    title,
    state: 'completed',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    size: 10,
    problem: null,
    pinned: false,
    archived: false,
  };
}

function options(begin: PickOptions['begin']): PickOptions {
  return { title: 'Choose', placeHolder: 'Sessions', open: 'b', begin };
}

describe('the list of sessions', () => {
  const some = [entry('a', 'First'), entry('b', '$(trash) Second')];

  test('begins at none where Enter, pressed too soon, would do harm', async () => {
    expect(await pickSession(some, options('nowhere'))).toBeUndefined();
    expect([double.offered.map(([label]) => label)[0], double.focused]).toEqual(['First', undefined]);
    await pickSession(some, options('first'));
    expect(double.focused).toBe('First');
  });

  test('draws no icon that a title asks for, and still knows the session', async () => {
    double.answer = '$\u200b(trash) Second';
    expect(await pickSession(some, options('nowhere'))).toBe(some[1]);
    expect(await pickSession(some, options('first'))).toBe(some[1]);
  });
});
