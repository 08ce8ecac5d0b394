import { beforeEach, describe, expect, test, vi } from 'vitest';
import { sessionCommands } from '../../src/host/session-commands.ts';
import { openChild, recordChild } from '../storage/child-log.ts';
import { record, TALK } from '../storage/recorded-session.ts';
import { windowFixture } from './opened-window.ts';
import { double } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const on = windowFixture();

beforeEach(async () => {
  await record(on.window.store, [{ ...TALK, say: 'Mend the build' }], 'parent');
  for (const id of ['one', 'two']) await recordChild(on.window.store, { id, of: 'parent' });
});

/** With what the person presses, question after question. */
async function deletes(session: string, ...answers: readonly (string | undefined)[]): Promise<void> {
  double.answer = undefined;
  double.answers = [...answers];
  await sessionCommands(on.window.parts).deleteSession(session);
}

async function listed(): Promise<readonly string[]> {
  return (await on.window.parts.sessions.all()).map((one) => one.session_id).toSorted();
}

const ASKED = '“Mend the build” has 2 agents with logs of their own, which go to the trash with it.';

describe('deleting a session with children', () => {
  test('says how many it has, and without a yes nothing happens', async () => {
    await deletes('parent', undefined);
    expect([double.questions, double.buttons]).toEqual([[ASKED], ['Delete']]);
    expect(await listed()).toEqual(['one', 'parent', 'two']);
  });

  test('takes them along, and undoing that brings all of them back', async () => {
    await deletes('parent', 'Delete');
    expect(await listed()).toEqual([]);
    expect(double.questions.at(-1)).toBe(
      '“Mend the build” and its 2 agents were deleted. The trash of this workspace keeps them.',
    );
    double.answer = 'Mend the build';
    await sessionCommands(on.window.parts).restoreSession();
    expect(double.offered.map(([label]) => label)).toEqual(['Mend the build']);
    expect(await listed()).toEqual(['one', 'parent', 'two']);
    await deletes('parent', 'Delete', 'Undo');
    expect(await listed()).toEqual(['one', 'parent', 'two']);
  });

  test('closes what is open of them, here and in tabs', async () => {
    await sessionCommands(on.window.parts).openSession('one');
    await on.window.chat.present({ type: 'open_session', session_id: 'parent' });
    await deletes('parent', 'Delete');
    expect(double.panels.map((panel) => panel.isClosed)).toEqual([true]);
    expect((await on.window.chat.knownFacts()).session_id).not.toBe('parent');
    expect(await listed()).toEqual([]);
  });

  test('leaves one that is at work, and says so', async () => {
    const running = await openChild(on.window.store, { id: 'busy', of: 'parent' });
    await deletes('parent', 'Delete');
    expect(double.questions.at(-1)).toBe(
      '“Mend the build” was deleted, but 1 of its 3 agents could not be, and stand in the list by themselves. The agent is working for another session. Stop it there first.',
    );
    expect(await listed()).toEqual(['busy']);
    await running.close();
  });
});

describe('deleting a child', () => {
  test('takes only the child, and closes its tab', async () => {
    await sessionCommands(on.window.parts).openSession('one');
    await deletes('one');
    expect(double.panels.map((panel) => panel.isClosed)).toEqual([true]);
    expect(await listed()).toEqual(['parent', 'two']);
    double.answer = 'Task of one';
    await sessionCommands(on.window.parts).restoreSession();
    expect([await listed(), double.panels.length]).toEqual([['one', 'parent', 'two'], 2]);
  });

  test('is refused while it works for its parent here', async () => {
    const running = await openChild(on.window.store, { id: 'busy', of: 'parent' });
    await deletes('busy');
    expect(double.questions).toEqual(['The agent is working for another session. Stop it there first.']);
    expect(await listed()).toContain('busy');
    await running.close();
  });
});
