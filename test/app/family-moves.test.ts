import { beforeEach, describe, expect, it } from 'vitest';
import { deleteFamily, restoreFamily, trashedFamilies } from '../../src/app/family-moves.ts';
import { sessionToGoOnWith } from '../../src/app/last-session.ts';
import { nodeStorePorts } from '../../src/app/node-ports.ts';
import { namedSession } from '../../src/app/parentage.ts';
import { Sessions } from '../../src/app/sessions.ts';
import { DiskError } from '../../src/storage/disk.ts';
import { SessionStore } from '../../src/storage/session-store.ts';
import type { Moved } from '../../src/storage/trash.ts';
import { childOf, openChild, recordChild } from '../storage/child-log.ts';
import { record, TALK } from '../storage/recorded-session.ts';
import { freshFolder } from '../storage/storage-place.ts';

let root = '';
let store: SessionStore;
let sessions: Sessions;
const warn = (message: string): void => {
  throw new Error(`unexpected warning: ${message}`);
};

beforeEach(async () => {
  root = freshFolder();
  store = new SessionStore(nodeStorePorts(warn), root);
  sessions = new Sessions(root, warn);
  await record(store, [TALK], 'parent');
  await recordChild(store, { id: 'one', of: 'parent' });
  await recordChild(store, { id: 'two', of: 'parent' });
  await recordChild(store, { id: 'below', of: 'two', depth: 2 });
  await record(store, [TALK], 'other');
});

const CHILDREN = ['one', 'two', 'below'];

async function listed(): Promise<readonly string[]> {
  return (await sessions.list()).map((one) => one.session_id).toSorted();
}

/** What is offered to be restored, and how many come with each. */
async function offered(): Promise<readonly string[]> {
  return trashedFamilies(await sessions.deleted()).roots.map((one) => one.session_id);
}

describe('a session with children', () => {
  it('goes to the trash with them, and comes back with them', async () => {
    const gone = await deleteFamily(sessions, 'parent', CHILDREN);
    expect(gone.children.map(({ moved }) => moved.kind)).toEqual(['moved', 'moved', 'moved']);
    expect([await listed(), await offered()]).toEqual([['other'], ['parent']]);
    if (gone.moved.kind !== 'moved') throw new Error('it was not moved');
    const back = await restoreFamily(sessions, gone.moved.name);
    expect([back.moved.kind, back.children.length]).toEqual(['moved', 3]);
    expect([await listed(), await offered()]).toEqual([['below', 'one', 'other', 'parent', 'two'], []]);
  });

  it('stays with all of them where it is open elsewhere', async () => {
    const held = await store.open('parent', { take_over: false });
    const { moved, children } = await deleteFamily(sessions, 'parent', CHILDREN);
    expect([moved.kind, children]).toEqual(['held', []]);
    expect(await listed()).toHaveLength(5);
    await held.close();
  });

  it('goes without a child that cannot go, and that is said', async () => {
    const held = await store.open('one', { take_over: false });
    const { moved, children } = await deleteFamily(sessions, 'parent', CHILDREN);
    expect([moved.kind, children.map((one) => one.moved.kind)]).toEqual([
      'moved',
      ['held', 'moved', 'moved'],
    ]);
    expect(await listed()).toEqual(['one', 'other']);
    await held.close();
  });

  it('goes also where the disk refuses one of its children', async () => {
    const failing = {
      delete: (id: string, at?: number): Promise<Moved> =>
        id === 'two' ? Promise.reject(new DiskError('full', 'no room')) : sessions.delete(id, at),
      restore: (name: string) => sessions.restore(name),
      deleted: () => sessions.deleted(),
    };
    const { children } = await deleteFamily(failing, 'parent', CHILDREN);
    expect(children.map((one) => one.moved)).toEqual([
      { kind: 'moved', name: expect.any(String) },
      { kind: 'failed', reason: 'no room' },
      { kind: 'moved', name: expect.any(String) },
    ]);
    expect(await listed()).toEqual(['other', 'two']);
  });

  it('does not bring back a child that was deleted before it', async () => {
    await sessions.delete('one', 1);
    const { moved } = await deleteFamily(sessions, 'parent', ['two', 'below']);
    expect((await offered()).toSorted()).toEqual(['one', 'parent']);
    if (moved.kind === 'moved') await restoreFamily(sessions, moved.name);
    expect([await listed(), await offered()]).toEqual([['below', 'other', 'parent', 'two'], ['one']]);
  });
});

describe('a session that is named', () => {
  it('is found to be a child, one that a person began, or gone', async () => {
    const found = await Promise.all(
      ['one', 'parent', 'missing', '../x'].map((id) => namedSession(root, id, warn)),
    );
    expect(found).toEqual([
      { kind: 'child', title: 'Task of one', parent: childOf({ id: 'one', of: 'parent' }) },
      { kind: 'session' },
      { kind: 'nowhere' },
      { kind: 'nowhere' },
    ]);
    await sessions.delete('one');
    expect(await namedSession(root, 'one', warn)).toEqual({ kind: 'trash' });
  });

  it('as the last of a window is gone on with where its parent is, if it is a child', async () => {
    expect(await sessionToGoOnWith(root, 'one')).toBe('parent');
    expect(await sessionToGoOnWith(root, 'below')).toBe('parent');
    await sessions.delete('parent');
    expect(await sessionToGoOnWith(root, 'one')).toBeNull();
    await recordChild(store, { id: 'stray', of: 'missing' });
    expect(await sessionToGoOnWith(root, 'stray')).toBeNull();
  });

  it('is no reason to look for ever, whatever logs say', async () => {
    for (const [id, of] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const)
      await (await openChild(store, { id, of })).close();
    expect(await sessionToGoOnWith(root, 'a')).toBeNull();
  });
});
