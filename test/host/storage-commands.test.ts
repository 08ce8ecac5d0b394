import { mkdir, readdir, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { storageCommands } from '../../src/host/storage-commands.ts';
import { keepStorage } from '../../src/host/storage-keeper.ts';
import { record, TALK } from '../storage/recorded-session.ts';
import { windowFixture } from './opened-window.ts';
import { double } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const DAY_MS = 86_400_000;
const on = windowFixture();

beforeEach(async () => {
  for (const id of ['old', 'young']) {
    await record(on.window.store, [{ ...TALK, say: `The ${id} one` }], id);
    const at = Date.now() - (id === 'old' ? 31 : 29) * DAY_MS;
    await utimes(`${on.place.storage}/sessions/${id}.jsonl`, at / 1000, at / 1000);
    await (await on.window.parts.sessions.sessions()).delete(id, at);
  }
});

async function inTrash(): Promise<readonly string[]> {
  const files = await readdir(`${on.place.storage}/trash`);
  return files.filter((name) => name.endsWith('.jsonl')).map((name) => name.split('.')[0] ?? '');
}

function answered(...answers: readonly (string | undefined)[]): void {
  double.answer = undefined;
  double.answers = [...answers];
}

describe('emptying the trash', () => {
  test('asks with what goes, keeps it by default, and never touches what is younger', async () => {
    answered(undefined);
    await storageCommands(on.window.parts).emptyTrash();
    expect([double.questions, double.buttons]).toEqual([
      ['Remove 1 session for good? It was deleted more than 30 days ago.'],
      ['Keep', 'Remove for good'],
    ]);
    answered('Keep');
    await storageCommands(on.window.parts).emptyTrash();
    expect((await inTrash()).toSorted()).toEqual(['old', 'young']);
    answered('Remove for good');
    await storageCommands(on.window.parts).emptyTrash();
    expect(double.questions.at(-1)).toMatch(/^1 session was removed for good: [\d.]+ kB\.$/);
    expect(await inTrash()).toEqual(['young']);
    await storageCommands(on.window.parts).emptyTrash();
    expect(double.questions.at(-1)).toBe('Nothing in the trash is older than 30 days. Nothing was changed.');
  });
});

describe('emptying the trash, with contents that nothing names', () => {
  test.each([false, true])('says what became of them, with others set aside: %s', async (others) => {
    const put = (text: string): Promise<string> => on.window.store.blobs.put(Buffer.from(text));
    const [aside, unnamed] = [await put('set aside'), others ? await put('unnamed') : null];
    await mkdir(`${on.place.storage}/blobs-unused`);
    const since = Date.now() - 31 * DAY_MS;
    await rename(`${on.place.storage}/blobs/${aside}`, `${on.place.storage}/blobs-unused/${aside}.${since}`);
    if (unnamed !== null) await utimes(`${on.place.storage}/blobs/${unnamed}`, 0, 0);
    answered('Remove for good');
    await storageCommands(on.window.parts).emptyTrash();
    const gone = 'Removed for good, since nothing had named it for 30 days: 1 content, 9 B.';
    expect(double.questions.at(-1)).toMatch(/^1 session was removed for good/);
    expect(double.questions.at(-1)).toContain(gone);
    expect(double.questions.at(-1)?.includes('Set aside')).toBe(unnamed !== null);
  });
});

describe('removing one session', () => {
  test('names it, keeps it by default, and removes that one alone', async () => {
    const [name] = (await readdir(`${on.place.storage}/trash`)).flatMap(
      (file) => /^(?<name>young\.\d+)\.jsonl$/.exec(file)?.groups?.['name'] ?? [],
    );
    answered('Keep');
    await storageCommands(on.window.parts).removeDeletedSession(name);
    expect([double.questions, double.buttons]).toEqual([
      ['Remove “The young one” for good, before its 30 days are over?'],
      ['Keep', 'Remove for good'],
    ]);
    expect((await inTrash()).toSorted()).toEqual(['old', 'young']);
    answered('Remove for good');
    await storageCommands(on.window.parts).removeDeletedSession(name);
    expect(await inTrash()).toEqual(['old']);
    for (const wrong of ['../x', 'nobody.1'])
      await storageCommands(on.window.parts).removeDeletedSession(wrong);
    expect(await inTrash()).toEqual(['old']);
  });
});

describe('setting contents aside', () => {
  test('says how much, or that there is nothing', async () => {
    await storageCommands(on.window.parts).collectContents();
    expect(double.questions.at(-1)).toBe(
      'Every content is named by something, or is younger than a day. Nothing was changed.',
    );
    const name = await on.window.store.blobs.put(Buffer.from('unnamed'));
    await utimes(`${on.place.storage}/blobs/${name}`, 0, 0);
    await storageCommands(on.window.parts).collectContents();
    expect(double.questions.at(-1)).toMatch(/^Set aside, since nothing names it any more: 1 content, 7 B\./);
  });

  test('says which file cannot be read', async () => {
    const name = await on.window.store.blobs.put(Buffer.from('unnamed'));
    await utimes(`${on.place.storage}/blobs/${name}`, 0, 0);
    await symlink(`${on.place.storage}/loop`, `${on.place.storage}/loop`);
    await storageCommands(on.window.parts).collectContents();
    expect(double.questions.at(-1)).toMatch(
      /cannot be read, so it is not known what it names\. Nothing was changed\./,
    );
    expect(await readdir(`${on.place.storage}/blobs`)).toEqual([name]);
  });
});

/** The journal of a removal that was cut off. */
async function beginRemoval(session_id: string, name: string): Promise<void> {
  const what = { kind: 'session', session_id, name, deleted_at: '', bytes: 1, files: [] };
  const line = {
    v: 1,
    ts: new Date().toISOString(),
    id: 'e1',
    event: 'removal_started',
    why: 'person',
    what,
  };
  await writeFile(`${on.place.storage}/storage-journal.jsonl`, `${JSON.stringify(line)}\n`);
}

describe('the upkeep of a window', () => {
  const { signal } = new AbortController();

  test('removes nothing and says nothing unless it is set', async () => {
    const before = await readdir(on.place.storage);
    await keepStorage(on.window.parts, signal);
    expect([double.questions, (await inTrash()).toSorted()]).toEqual([[], ['old', 'young']]);
    // Not even when it looked: that is noted in retention.json.
    expect((await readdir(on.place.storage)).toSorted()).toEqual(before.toSorted());
  });

  test('leaves all as it is where the setting is not valid', async () => {
    double.settings = { 'retention.trashDays': 'soon' };
    await keepStorage(on.window.parts, signal);
    expect([double.questions, (await inTrash()).toSorted()]).toEqual([[], ['old', 'young']]);
  });

  test('removes what is older than the setting wants, and than 30 days, and says so', async () => {
    double.settings = { 'retention.trashDays': 1 };
    await keepStorage(on.window.parts, signal);
    expect(await inTrash()).toEqual(['young']);
    expect([double.questions.length, double.questions[0], double.buttons]).toEqual([
      1,
      expect.stringMatching(/^1 session was removed from the trash for good: [\d.]+ kB\.$/),
      ['Show'],
    ]);
  });

  test('finishes a removal that was cut off, and says so', async () => {
    const trash = await readdir(`${on.place.storage}/trash`);
    const name = (trash.find((file) => /^old\.\d+\.jsonl$/.test(file)) ?? '').replace('.jsonl', '');
    await beginRemoval('old', name);
    await keepStorage(on.window.parts, signal);
    expect([double.questions, await inTrash()]).toEqual([
      ['A removal that had been cut off was finished: 1.'],
      ['young'],
    ]);
  });

  test('does not call a removal finished that was called off', async () => {
    await record(on.window.store, [TALK], 'back');
    await beginRemoval('back', 'back.1');
    await keepStorage(on.window.parts, signal);
    expect(double.questions).toEqual([]);
  });
});
