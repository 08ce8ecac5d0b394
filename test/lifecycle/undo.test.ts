import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchRuns } from '../support/search-runs.ts';
import { edit, write } from './calls.ts';
import { AUTO, evidenceIn, undoStage } from './undo-stage.ts';
import { asks, says, type Window } from './window.ts';

const on = undoStage();

async function undo(window: Window, path?: string): Promise<void> {
  await on.take(window, 'undo', path);
}

async function turnId(): Promise<string> {
  return (await on.turnIds()).at(-1) ?? '';
}

describe('undo of a turn', () => {
  it('puts every file back, removes what was created, and records each', async () => {
    await on.write('a.txt', 'one\r\ntwo\r\n');
    const window = await on.changed(edit('c1', 'one', 'ONE'), write('c2', 'new/b.txt', 'new'));
    expect(await on.read('new/b.txt')).toBe('new');
    await undo(window);
    expect([await on.read('a.txt'), await on.read('new/b.txt')]).toEqual(['one\r\ntwo\r\n', null]);
    const changes = (await on.of('file_change')).toSorted((one, other) => (one.path < other.path ? -1 : 1));
    const [first, ofFirst, second, ofSecond] = changes;
    expect([ofFirst, ofSecond]).toMatchObject([
      {
        path: 'a.txt',
        undo_of: ['c1'],
        before_sha256: first?.after_sha256,
        after_sha256: first?.before_sha256,
        created: false,
        deleted: false,
      },
      {
        path: 'new/b.txt',
        undo_of: ['c2'],
        before_sha256: second?.after_sha256,
        after_sha256: null,
        deleted: true,
      },
    ]);
    expect(window.failures).toEqual([]);
    expect(evidenceIn(window)?.undo_open).toEqual([]);
    expect(evidenceIn(window)?.changes.filter(({ undo_of }) => undo_of.length > 0)).toHaveLength(2);
  });

  it('is on record before the first file is touched', async () => {
    await on.write('a.txt', 'one');
    const window = await on.changed(edit('c1', 'one', 'ONE'));
    await undo(window);
    const events = await on.events();
    const asked = events.findIndex(
      (event) => event.type === 'diagnostic' && event.data.code === 'undo_requested',
    );
    const done = events.findIndex(
      (event) => event.type === 'file_change' && event.data.undo_of !== undefined,
    );
    expect(asked).toBeGreaterThan(-1);
    expect(done).toBeGreaterThan(asked);
  });

  it('goes back over all edits of a file at once', async () => {
    await on.write('a.txt', 'one two');
    const window = await on.changed(edit('c1', 'one', 'ONE'), edit('c2', 'two', 'TWO'));
    expect(await on.read('a.txt')).toBe('ONE TWO');
    await undo(window);
    expect(await on.read('a.txt')).toBe('one two');
    expect((await on.of('file_change')).at(-1)?.undo_of).toEqual(['c1', 'c2']);
  });

  it('keeps what something else did between the edits', async () => {
    await on.write('a.txt', 'one two');
    const command = ['c2', 'run_command', { command: 'printf " and more" >> a.txt' }] as const;
    const window = await on.changed(edit('c1', 'one', 'ONE'), command, edit('c3', 'two', 'TWO'));
    expect(await on.read('a.txt')).toBe('ONE TWO and more');
    await undo(window);
    expect(await on.read('a.txt')).toBe('ONE two and more');
    expect(window.failures).toMatchObject([{ for: 'undo', kind: 'partly_undone' }]);
    await undo(window);
    expect(await on.read('a.txt')).toBe('ONE two and more');
    expect(window.failures.at(-1)).toMatchObject({ for: 'undo', kind: 'file_changed' });
  });

  it('tells the model nothing and changes no byte of the next request', async () => {
    await on.write('a.txt', 'one');
    const window = await on.changed(edit('c1', 'one', 'ONE'));
    await undo(window);
    await window.turn('And now?');
    const [, second, third] = on.requests.map((_, index) => on.input(index));
    expect(third?.slice(0, second?.length)).toEqual(second);
    expect(JSON.stringify(third)).not.toContain('undo');
  });
});

describe('undo of one file', () => {
  it('leaves the others as they are', async () => {
    await on.write('a.txt', 'one');
    await on.write('b.txt', 'one');
    const window = await on.changed(edit('c1', 'one', 'ONE'), edit('c2', 'one', 'ONE', 'b.txt'));
    await undo(window, 'b.txt');
    expect([await on.read('a.txt'), await on.read('b.txt')]).toEqual(['ONE', 'one']);
    await undo(window);
    expect([await on.read('a.txt'), await on.read('b.txt')]).toEqual(['one', 'one']);
    expect(window.failures).toEqual([]);
  });

  it('that was changed since is refused by name, and the others are still undone', async () => {
    await on.write('a.txt', 'one');
    await on.write('b.txt', 'one');
    const window = await on.changed(edit('c1', 'one', 'ONE'), edit('c2', 'one', 'ONE', 'b.txt'));
    await on.write('a.txt', 'theirs');
    await undo(window);
    expect([await on.read('a.txt'), await on.read('b.txt')]).toEqual(['theirs', 'one']);
    expect(window.failures).toMatchObject([{ for: 'undo', kind: 'file_changed' }]);
    expect(window.failures[0]?.message).toBe(
      'Not everything was undone.\na.txt: changed since, so it was left as it is.',
    );
    expect(evidenceIn(window)?.undo_open).toEqual([]);
  });

  it('that was created and then changed or removed is not touched', async () => {
    const window = await on.changed(write('c1', 'a.txt', 'new'));
    await on.write('a.txt', 'new and theirs');
    await undo(window);
    expect(await on.read('a.txt')).toBe('new and theirs');
    await rm(join(on.place.workspace, 'a.txt'));
    await undo(window);
    expect(window.failures.map(({ kind }) => kind)).toEqual(['file_changed', 'file_gone']);
  });

  it('cannot be done twice, and says so', async () => {
    await on.write('a.txt', 'one');
    const window = await on.changed(edit('c1', 'one', 'ONE'));
    await undo(window, 'a.txt');
    const before = (await on.events()).length;
    await undo(window, 'a.txt');
    await undo(window);
    expect(window.failures.map(({ kind }) => kind)).toEqual(['already_undone', 'already_undone']);
    expect((await on.events()).length).toBe(before);
  });

  it('that the turn did not change is refused', async () => {
    await on.write('a.txt', 'one');
    const window = await on.changed(['c1', 'run_command', { command: 'echo hi >> a.txt' }]);
    await undo(window);
    await undo(window, '../elsewhere.txt');
    expect(window.failures).toMatchObject([
      {
        kind: 'nothing_to_undo',
        message: 'This turn changed no file. What its commands did cannot be undone here.',
      },
      { kind: 'nothing_to_undo' },
    ]);
    await window.receive({ type: 'undo', turn_id: 'turn_of_nobody' });
    expect(window.failures.at(-1)).toMatchObject({ for: 'undo', kind: 'unknown_turn' });
  });
});

describe('undo is refused', () => {
  it('while a turn waits, and changes nothing', async () => {
    await on.write('a.txt', 'one two');
    const window = await on.turn('Edit.', [
      asks(edit('c1', 'one', 'ONE')),
      asks(edit('c2', 'two', 'TWO')),
      says('Done.'),
    ]);
    expect(await window.decided('c1', 'resume')).toBe('waiting');
    await undo(window);
    expect(window.failures).toMatchObject([{ for: 'undo', kind: 'turn_under_way' }]);
    expect(await on.read('a.txt')).toBe('ONE two');
  });

  it('while a turn runs', async () => {
    await on.script(asks(['c1', 'run_command', { command: 'sleep 30' }]), says('Done.'));
    const window = await on.open(AUTO);
    await window.send('Run.');
    await window.call('c1', 'running');
    await undo(window);
    expect(window.failures).toMatchObject([{ for: 'undo', kind: 'turn_under_way' }]);
    await window.stop();
  });

  it('in a session that another process has open', async () => {
    await on.write('a.txt', 'one');
    await on.changed(edit('c1', 'one', 'ONE'));
    const second = await on.open(AUTO);
    await undo(second);
    expect(second.failures.at(-1)).toMatchObject({ for: 'undo', kind: 'session_held' });
    expect(await on.read('a.txt')).toBe('ONE');
  });
});

it('undo in a workspace that is not trusted is refused', async () => {
  await on.write('a.txt', 'one');
  const window = await on.changed(edit('c1', 'one', 'ONE'));
  await window.close();
  const untrusted = await on.open(AUTO, 's1', { trusted: false });
  await undo(untrusted);
  expect(untrusted.failures).toMatchObject([{ for: 'undo', kind: 'untrusted' }]);
  expect(await on.read('a.txt')).toBe('ONE');
});

describe('after the session is opened again', () => {
  it('an earlier turn can be undone, and what was undone stays so', async () => {
    await on.write('a.txt', 'one');
    await on.write('b.txt', 'one');
    const window = await on.changed(edit('c1', 'one', 'ONE'), edit('c2', 'one', 'ONE', 'b.txt'));
    const first = await turnId();
    await window.turn('Something else.');
    await undo(window, 'a.txt');
    expect(window.failures.at(-1)).toMatchObject({ kind: 'nothing_to_undo' });
    await window.receive({ type: 'undo', turn_id: first, path: 'a.txt' });
    await window.close();
    const again = await on.open(AUTO);
    await again.receive({ type: 'undo', turn_id: first, path: 'a.txt' });
    expect(again.failures).toMatchObject([{ kind: 'already_undone' }]);
    await again.receive({ type: 'undo', turn_id: first });
    expect([await on.read('a.txt'), await on.read('b.txt')]).toEqual(['one', 'one']);
  });

  it('an undo that was cut off before it was on record is finished by asking again', async () => {
    await on.write('a.txt', 'one');
    const window = await on.changed(edit('c1', 'one', 'ONE'));
    await undo(window);
    await window.close();
    // As if the process had ended between the file and the log: the last line is lost.
    const log = join(on.place.storage, 'sessions', 's1.jsonl');
    const lines = (await readFile(log, 'utf8')).split('\n').slice(0, -2);
    await writeFile(log, `${lines.join('\n')}\n`);
    const again = await on.open(AUTO);
    expect(evidenceIn(again)?.undo_open).toEqual(['a.txt']);
    await undo(again);
    expect(again.failures).toEqual([]);
    expect(evidenceIn(again)?.undo_open).toEqual([]);
    expect(await on.read('a.txt')).toBe('one');
    expect((await on.of('file_change')).at(-1)).toMatchObject({ path: 'a.txt', undo_of: ['c1'] });
  });
});

it(
  'undo of all that a turn changed restores the bytes of every file, whatever they are',
  async () => {
    const paths = ['a.txt', 'b.txt', 'deep/c.txt'];
    const text = fc.string({ unit: 'grapheme', maxLength: 40 });
    const story = fc.record({
      before: fc.array(fc.option(text), { minLength: 3, maxLength: 3 }),
      writes: fc.array(fc.tuple(fc.nat(2), text), { minLength: 1, maxLength: 5 }),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(story, async ({ before, writes }) => {
        run += 1;
        for (const [index, path] of paths.entries()) {
          const content = before[index] ?? null;
          if (content === null) await rm(join(on.place.workspace, path), { force: true });
          else await on.write(path, content);
        }
        const calls = writes.map(([file, content], index) =>
          write(`r${run}_c${index}`, paths[file] ?? '', content),
        );
        await on.script(...calls.map((call) => asks(call)), says('Done.'));
        const window = await on.open(AUTO, `s${run}`);
        await window.turn('Write.');
        const prompts = (await on.events(`s${run}`)).filter((event) => event.type === 'user_message');
        await window.receive({ type: 'undo', turn_id: prompts[0]?.data.turn_id });
        await window.close();
        const after = await Promise.all(paths.map((path) => on.read(path)));
        expect(after).toEqual(before);
      }),
      { numRuns: searchRuns(10), seed: 20261116 },
    );
  },
  searchRuns(30_000),
);
