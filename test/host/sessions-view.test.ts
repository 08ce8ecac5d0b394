import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SessionEntry } from '../../src/app/sessions.ts';
import { SessionsView } from '../../src/host/sessions-view.ts';
import { ARCHIVE } from '../../src/host/sessions-tree.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { snapshot, turnState } from '../webview/log-items.ts';
import { emittingChat } from './opened-host.ts';
import { entry } from './session-entries.ts';
import { double, Uri } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

/** What is in the folder; an error where it cannot be read. */
const folder: {
  entries: readonly SessionEntry[];
  error: Error | null;
  looked: (readonly string[] | null)[];
} = {
  entries: [],
  error: null,
  looked: [],
};

vi.mock('../../src/app/sessions.ts', () => ({
  Sessions: class {
    async list(changed?: ReadonlySet<string>): Promise<readonly SessionEntry[]> {
      folder.looked.push(changed === undefined ? null : [...changed]);
      if (folder.error !== null) throw folder.error;
      return folder.entries;
    }
  },
}));

let hear: (message: HostMessage) => void;
let view: SessionsView;
let drawn: unknown[];

beforeEach(() => {
  Object.assign(folder, { entries: [], error: null, looked: [] });
  drawn = [];
  const { chat, emit } = emittingChat();
  hear = emit;
  const log = { error: () => undefined, warn: () => undefined };
  view = new SessionsView({
    chat,
    log: log as unknown as ConstructorParameters<typeof SessionsView>[0]['log'],
    storage: Uri.file('/storage') as unknown as ConstructorParameters<typeof SessionsView>[0]['storage'],
  });
  view.onDidChangeTreeData((lines) => drawn.push(lines ?? 'all'));
});

afterEach(() => view.dispose());

async function looks(times: number): Promise<void> {
  await expect.poll(() => folder.looked.length).toBe(times);
}

test('a turn that goes on draws its line again, and no other', async () => {
  folder.entries = [entry('one'), entry('two')];
  expect(await view.getChildren()).toEqual(['one', 'two']);
  hear(snapshot([], { session_id: 'one' }));
  await expect.poll(() => drawn).toEqual([['one']]);
  folder.entries = [entry('one', { state: 'running' }), entry('two')];
  hear(turnState('running'));
  await expect.poll(() => drawn).toEqual([['one'], ['one']]);
  folder.entries = [entry('three'), ...folder.entries];
  view.refresh('three');
  await expect.poll(() => drawn.at(-1)).toBe('all');
});

test('the number on the view counts what waits elsewhere, also in the session that was left', async () => {
  folder.entries = [entry('one', { state: 'waiting' }), entry('two', { state: 'waiting' })];
  await view.getChildren();
  hear(snapshot([], { session_id: 'one' }));
  await expect.poll(() => double.tree.badge?.value).toBe(1);
  folder.looked = [];
  folder.entries = [entry('three'), ...folder.entries];
  hear(snapshot([], { session_id: 'three' }));
  await expect.poll(() => double.tree.badge?.value).toBe(2);
  expect(folder.looked).toEqual([['one', 'three']]);
  folder.entries = [entry('three')];
  view.refresh('one');
  view.refresh('two');
  await expect.poll(() => double.tree.badge).toBeUndefined();
});

test('the open session is revealed where it is; put into the archive, it leaves that closed', async () => {
  folder.entries = [entry('one'), entry('two', { archived: true })];
  await view.getChildren();
  hear(snapshot([], { session_id: 'two' }));
  await expect.poll(() => double.tree.revealed).toEqual(['two']);
  expect([view.getParent('two'), view.getParent('one')]).toEqual([ARCHIVE, null]);
  hear(snapshot([], { session_id: 'one' }));
  await expect.poll(() => double.tree.revealed).toEqual(['two', 'one']);
  folder.entries = folder.entries.map((one) => ({ ...one, archived: true }));
  view.refresh('one');
  await looks(4);
  folder.entries = [entry('one'), entry('two', { archived: true })];
  view.refresh('one');
  await expect.poll(() => double.tree.revealed).toEqual(['two', 'one', 'one']);
});

test('a folder that cannot be read is told in words, and looked at whole the next time', async () => {
  folder.error = new Error("EACCES: permission denied, scandir '/storage/sessions'");
  expect(await view.getChildren()).toEqual([]);
  expect(double.tree.message).toContain('The sessions cannot be listed.');
  expect(double.tree.message).not.toContain('EACCES');
  folder.error = null;
  folder.entries = [entry('one')];
  view.refresh('one');
  await expect.poll(() => drawn).toEqual(['all']);
  expect([folder.looked, double.tree.message]).toEqual([[null, null], '']);
});
