import { readdir, utimes } from 'node:fs/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { forkSession } from '../../src/app/fork-session.ts';
import { sessionCommands } from '../../src/host/session-commands.ts';
import { storageCommands } from '../../src/host/storage-commands.ts';
import { recordChild } from '../storage/child-log.ts';
import { LARGE, record, TALK } from '../storage/recorded-session.ts';
import { lookAt } from '../storage/storage-place.ts';
import { windowFixture } from './opened-window.ts';
import { double } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const on = windowFixture();
/** A fork, and a fork of that. */
let forks: readonly [string, string];

beforeEach(async () => {
  await record(on.window.store, [{ ...TALK, say: 'Mend the build' }, LARGE], 'parent');
  await recordChild(on.window.store, { id: 'child', of: 'parent' });
  const first = await forked('parent');
  forks = [first, await forked(first)];
});

async function forked(session_id: string): Promise<string> {
  const made = await forkSession(
    on.place.storage,
    { session_id, at_seq: null, summary: false },
    () => undefined,
  );
  return made ?? '';
}

/** Every body of it is where its log says. */
async function isWhole(id: string): Promise<boolean> {
  const { damage, events } = await lookAt(on.window.store, id);
  const large = events.some(
    ({ type, data }) => type === 'tool_result' && JSON.stringify(data).length > 20_000,
  );
  return damage.length === 0 && large;
}

async function listed(): Promise<Readonly<Record<string, boolean>>> {
  const all = await on.window.parts.sessions.all();
  return Object.fromEntries(all.map((one) => [one.session_id, one.archived]));
}

async function expectForksAlone(): Promise<void> {
  const now = await listed();
  expect(forks.map((id) => now[id])).toEqual([false, false]);
  expect(await Promise.all(forks.map(isWhole))).toEqual([true, true]);
}

function answered(...answers: readonly (string | undefined)[]): void {
  double.answer = undefined;
  double.answers = [...answers];
}

async function deletes(id: string): Promise<void> {
  answered('Delete');
  await sessionCommands(on.window.parts).deleteSession(id);
}

describe('the forks of a session', () => {
  test('stay where they are when it is archived, and when it is taken out again', async () => {
    await sessionCommands(on.window.parts).archiveSession('parent');
    expect((await listed())['parent']).toBe(true);
    await expectForksAlone();
    await sessionCommands(on.window.parts).unarchiveSession('parent');
    expect((await listed())['parent']).toBe(false);
    await expectForksAlone();
  });

  test('stay when it is deleted with its children, and when it comes back with them', async () => {
    await deletes('parent');
    expect(double.questions[0]).toBe(
      '“Mend the build” has 1 agent with a log of its own, which goes to the trash with it.',
    );
    expect(Object.keys(await listed()).toSorted()).toEqual([...forks].toSorted());
    await expectForksAlone();
    double.answer = 'Mend the build';
    await sessionCommands(on.window.parts).restoreSession();
    expect(Object.keys(await listed()).toSorted()).toEqual([...forks, 'child', 'parent'].toSorted());
    await expectForksAlone();
  });

  test('are whole after it was removed for good, and what nothing names was collected', async () => {
    await deletes('parent');
    const [trashed] = await (await on.window.parts.sessions.sessions()).deleted();
    for (const name of await readdir(`${on.place.storage}/blobs`))
      await utimes(`${on.place.storage}/blobs/${name}`, 0, 0);
    answered('Remove for good');
    await storageCommands(on.window.parts).removeDeletedSession(trashed?.name);
    await storageCommands(on.window.parts).collectContents();
    await expectForksAlone();
  });

  test('have the family of the first of them, also when all before them are gone', async () => {
    await deletes('parent');
    await deletes(forks[0]);
    const last = await forked(forks[1]);
    const [head] = (await lookAt(on.window.store, last)).events;
    expect(head).toMatchObject({
      type: 'session_fork',
      data: { parent_session_id: forks[1], fork_root_session_id: 'parent' },
    });
    expect(await isWhole(last)).toBe(true);
  });
});

/** What the fork is said to be made of, once it is shown. */
async function origin(): Promise<unknown> {
  await on.window.chat.present({ type: 'open_session', session_id: forks[0] });
  const shown = on.window.heard.filter((one) => one.type === 'snapshot' && one.session_id === forks[0]);
  const last = shown.at(-1);
  return last?.type === 'snapshot' ? last.fork : undefined;
}

describe('a fork that is shown', () => {
  test('says what it was made of by its title, by the name it was given, and by its id alone', async () => {
    expect(await origin()).toEqual({ session_id: 'parent', title: 'Mend the build' });
    await (await on.window.parts.sessions.sessions()).rename('parent', 'Builds');
    expect(await origin()).toEqual({ session_id: 'parent', title: 'Builds' });
    await (await on.window.parts.sessions.sessions()).rename('parent', '');
    await deletes('parent');
    await on.window.chat.present({ type: 'new_session' });
    expect(await origin()).toEqual({ session_id: 'parent', title: '' });
  });
});
