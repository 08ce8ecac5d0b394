import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { hostFixture } from './opened-host.ts';
import { double, Uri } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const WORDS =
  'one.txt: has changes in an editor that are not saved, so it was left as it is. Save or revert them first.';

const on = hostFixture();
let turn_id = '';

beforeEach(async () => {
  await on.open({ provider: 'offline', permissionMode: 'auto' });
  await on.host.receive({
    type: 'send',
    client_turn_id: 'c1',
    text: 'all write one.txt: 1; write two.txt: 2',
  });
  const state = (): Extract<HostMessage, { type: 'turn_state' }> | undefined =>
    on.messages.findLast((one) => one.type === 'turn_state');
  await expect.poll(() => state()?.state).toBe('completed');
  turn_id = state()?.turn_id ?? '';
  double.documents.push(
    { uri: Uri.file(join(on.place.workspace, 'one.txt')), isDirty: true },
    { uri: Uri.from({ scheme: 'untitled', path: join(on.place.workspace, 'two.txt') }), isDirty: true },
  );
});

function content(path: string): Promise<string | null> {
  return readFile(join(on.place.workspace, path), 'utf8').catch(() => null);
}

test('a preview says what has unsaved changes, and the undo leaves it and puts the others back, on record', async () => {
  const preview = await on.host.changes.preview({ turn_id, way: 'undo' });
  expect(preview?.files.map(({ path }) => path)).toEqual(['two.txt']);
  expect(preview?.refusals).toEqual([{ path: 'one.txt', kind: 'unsaved_changes', message: WORDS }]);
  await on.host.receive({ type: 'undo', turn_id });
  expect([await content('one.txt'), await content('two.txt')]).toEqual(['1', null]);
  expect(on.messages.findLast((one) => one.type === 'failure')).toMatchObject({
    for: 'undo',
    kind: 'unsaved_changes',
    message: `Not everything was undone.\n${WORDS}`,
  });
  const log = await readFile(join(on.place.storage, 'sessions', 's1.jsonl'), 'utf8');
  expect(log).toMatch(/"undo_refused".*"paths":\["one\.txt"\].*"unsaved_changes"/u);
});

test('no merge is opened over unsaved changes', async () => {
  await on.host.receive({ type: 'merge_undo', turn_id, path: 'one.txt' });
  expect(on.messages.findLast((one) => one.type === 'failure')).toMatchObject({
    for: 'merge_undo',
    kind: 'unsaved_changes',
    message: WORDS,
  });
  expect(double.commands).toEqual([]);
});
