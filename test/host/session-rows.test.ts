import { describe, expect, test, vi } from 'vitest';
import type { SessionEntry } from '../../src/app/sessions.ts';
import { pickSession, type PickOptions } from '../../src/host/session-picker.ts';
import { sessionsItem } from '../../src/host/session-look.ts';
import { sessionRowCommands } from '../../src/host/session-row-commands.ts';
import { ARCHIVE, sessionsTree } from '../../src/host/sessions-tree.ts';
import { childEntry, entry } from './session-entries.ts';
import { double } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

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
  'openAgent',
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

function child(session_id: string, of: string): SessionEntry {
  return childEntry(session_id, of, { title: `Task ${session_id}`, updated_at: '2026-01-02T00:00:00.000Z' });
}

function options(begin: PickOptions['begin']): PickOptions {
  return { title: 'Choose', placeHolder: 'Sessions', open: 'b', begin };
}

function lineOf(entries: readonly SessionEntry[], id: string): ReturnType<typeof sessionsItem> {
  const node = sessionsTree({ entries, current: null, damage: null }).nodes.get(id);
  if (node === undefined) throw new Error(`${id} has no line`);
  return sessionsItem(node);
}

describe('a line of the tree', () => {
  test('of a parent is closed and says how many children it has', () => {
    const family = [entry('a', { title: 'First' }), child('one', 'a'), child('two', 'a')];
    const item = lineOf(family, 'a');
    expect([item.collapsibleState, item.command?.command]).toEqual([1, 'ledgerline.openSession']);
    expect(item.description).toContain('2 agents');
    expect(lineOf(family.slice(0, 2), 'a').description).toContain('1 agent');
    expect(item.accessibilityInformation?.label).toContain('2 agents');
  });

  test('of a parent says how many below it need a person, also while it is closed', () => {
    const asking = (id: string, of: string): SessionEntry => ({ ...child(id, of), state: 'waiting' });
    const one = [entry('a', { title: 'First', state: 'running' }), asking('one', 'a'), child('two', 'a')];
    expect(lineOf(one, 'a').description).toContain('2 agents · 1 needs you');
    const item = lineOf([...one, asking('three', 'two')], 'a');
    expect(item.description).toContain('2 agents · 2 need you');
    expect(item.accessibilityInformation?.label).toContain('2 agents, 2 need you');
  });

  test('of a child has its role and opens its transcript', () => {
    const item = lineOf([entry('a', { title: 'First' }), child('one', 'a')], 'one');
    expect([item.collapsibleState, item.command]).toEqual([
      0,
      { command: 'ledgerline.openAgent', title: 'Open', arguments: ['one'] },
    ]);
    expect(item.description).toMatch(/ · Explorer · 10 B$/u);
  });

  test('of a child whose parent is gone says whose it was', () => {
    expect(lineOf([child('one', 'gone')], 'one').description).toMatch(/ · Explorer · child of gone · 10 B$/u);
  });
});

describe('the list of sessions', () => {
  const some = [entry('a', { title: 'First' }), entry('b', { title: '$(trash) Second' })];

  test('begins at none where Enter, pressed too soon, would do harm', async () => {
    expect(await pickSession(some, options('nowhere'))).toBeUndefined();
    expect([double.offered.map(([label]) => label)[0], double.focused]).toEqual(['First', undefined]);
    await pickSession(some, options('first'));
    expect(double.focused).toBe('First');
  });

  test('has children after all others, with whose they are, and still lets one choose them', async () => {
    const family = [
      child('one', 'a'),
      child('two', 'gone'),
      entry('b', { title: 'Second' }),
      entry('a', { title: 'First' }),
    ];
    double.answer = 'Task one';
    expect(await pickSession(family, options('first'))).toBe(family[0]);
    expect(double.offered.map(([label, words]) => [label, words.split(' · ')[0]])).toEqual([
      ['sessions', ''],
      ['First', 'Completed'],
      ['Second', 'open'],
      ['agents', ''],
      ['Task one', 'child of First'],
      ['Task two', 'child of gone'],
    ]);
  });

  test('names the parent also where that cannot be chosen', async () => {
    const family = [child('one', 'a'), entry('a', { title: 'First' })];
    await pickSession(family, { ...options('first'), fits: (one) => one.parent !== null });
    expect(double.offered.map(([label, words]) => [label, words.split(' · ')[0]])).toEqual([
      ['Task one', 'child of First'],
    ]);
  });

  test('draws no icon that a title asks for, and still knows the session', async () => {
    double.answer = '$\u200b(trash) Second';
    expect(await pickSession(some, options('nowhere'))).toBe(some[1]);
    expect(await pickSession(some, options('first'))).toBe(some[1]);
  });
});
