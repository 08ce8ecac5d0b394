import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { UndoPreview } from '../../src/app/undo-preview.ts';
import type { OpenedMerge } from '../../src/app/undo-merges.ts';
import { edit, write } from './calls.ts';
import { asks, says, stage, type Window } from './window.ts';

const on = stage();
const AUTO = { permissionMode: 'auto' };

const command = (call_id: string, line: string) => [call_id, 'run_command', { command: line }] as const;

type Call = readonly [call_id: string, name: string, args: object];

async function changed(...calls: Call[]): Promise<Window> {
  const window = await on.turn('Change it.', [asks(...calls), says('Done.')], AUTO);
  expect(window.state).toBe('completed');
  return window;
}

async function turnId(): Promise<string> {
  return (await on.of('user_message')).at(-1)?.turn_id ?? '';
}

async function preview(window: Window, way: 'undo' | 'redo' = 'undo', path?: string): Promise<UndoPreview> {
  const seen = await window.conversation.changes.preview({ turn_id: await turnId(), way, path });
  if (seen === null) throw new Error('there is no such turn');
  return seen;
}

function sides({ files }: UndoPreview): readonly (readonly [string, string | null, string | null])[] {
  return files.map(
    ({ path, now, next }) => [path, now?.toString() ?? null, next?.toString() ?? null] as const,
  );
}

describe('a preview of an undo', () => {
  it('has each file as it is and as it would be, and changes nothing', async () => {
    await on.write('a.txt', 'one');
    const window = await changed(edit('c1', 'one', 'ONE'));
    const before = await on.events();
    const seen = await preview(window);
    expect(sides(seen)).toEqual([['a.txt', 'ONE', 'one']]);
    expect([await on.read('a.txt'), await on.events()]).toEqual(['ONE', before]);
  });

  it('shows created files as removals, and taken back as files that are there again', async () => {
    const window = await changed(write('c1', 'new.txt', 'new'));
    expect(sides(await preview(window))).toEqual([['new.txt', 'new', null]]);
    expect(sides(await preview(window, 'redo'))).toEqual([]);
    await window.receive({ type: 'undo', turn_id: await turnId() });
    expect(sides(await preview(window))).toEqual([]);
    expect(sides(await preview(window, 'redo'))).toEqual([['new.txt', null, 'new']]);
  });

  it('knows what is no text', async () => {
    await writeFile(join(on.place.workspace, 'x.bin'), Buffer.from([0, 1, 2]));
    const window = await changed(write('c1', 'x.bin', 'text'));
    expect((await preview(window)).files).toMatchObject([{ path: 'x.bin', is_binary: true }]);
  });

  it('names what would be refused, with the reason, and all that would not be undone', async () => {
    await on.write('a.txt', 'one');
    await on.write('b.txt', 'one');
    const window = await on.turn(
      'Change it.',
      [
        asks(edit('c1', 'one', 'ONE'), edit('c2', 'one', 'ONE', 'b.txt')),
        asks(command('c3', 'touch made'), command('c4', 'exit 3')),
        says('Done.'),
      ],
      AUTO,
    );
    await on.write('a.txt', 'theirs');
    const seen = await preview(window);
    expect(seen.refusals).toEqual([
      { path: 'a.txt', kind: 'file_changed', message: 'a.txt: changed since, so it was left as it is.' },
    ]);
    expect(sides(seen)).toEqual([['b.txt', 'ONE', 'one']]);
    expect(seen.commands.map((one) => [one.command, one.outcome])).toEqual([
      ['touch made', 'succeeded'],
      ['exit 3', 'failed'],
    ]);
    expect(sides(await preview(window, 'undo', 'a.txt'))).toEqual([]);
  });
});

async function opened(window: Window, path = 'a.txt'): Promise<OpenedMerge> {
  const merge = await window.conversation.undo.merges.open({ turn_id: await turnId(), way: 'undo', path });
  if (!('sides' in merge)) throw new Error(merge.message);
  return merge;
}

const BEFORE = '1\nold\n3\n4\n5\n';
const NOW = '1\nnew\n3\n4\nmine\n';

/** A file that a turn changed, and a person after it. */
async function changedSince(): Promise<Window> {
  await on.write('a.txt', BEFORE);
  const window = await changed(edit('c1', 'old', 'new'));
  await on.write('a.txt', NOW);
  return window;
}

describe('a merge', () => {
  it('has three texts, is on record when it is opened, and writes nothing', async () => {
    const window = await changedSince();
    const { sides: texts } = await opened(window);
    expect(texts).toMatchObject({ base: '1\nnew\n3\n4\n5\n', now: NOW, before: BEFORE });
    expect(await on.read('a.txt')).toBe(NOW);
    expect((await on.of('diagnostic')).at(-1)).toMatchObject({
      code: 'undo_merge_opened',
      details: { paths: ['a.txt'], way: 'undo', from_sha256: texts.now_sha256 },
    });
  });

  it('whose result takes the change back is the undo, and can be taken back itself', async () => {
    const window = await changedSince();
    const merge = await opened(window);
    await on.write('a.txt', '1\nold\n3\n4\nmine\n');
    expect(await window.conversation.undo.merges.close(merge)).toBe(true);
    expect((await on.of('file_change')).at(-1)).toMatchObject({
      path: 'a.txt',
      undo_of: ['c1'],
      merged: true,
      before_sha256: merge.sides.now_sha256,
      before_blob: merge.sides.now_sha256,
    });
    await window.receive({ type: 'redo', turn_id: await turnId() });
    expect(await on.read('a.txt')).toBe(NOW);
    expect(window.failures).toEqual([]);
  });

  it('that was closed without a result, or with the change still in it, is only on record as opened', async () => {
    const window = await changedSince();
    const merge = await opened(window);
    const lines = (await on.events()).length;
    expect(await window.conversation.undo.merges.close(merge)).toBe(false);
    await on.write('a.txt', '1\nnew\n3\n4\n5\nmore\n');
    expect(await window.conversation.undo.merges.close(merge)).toBe(false);
    await on.write('a.txt', '1\n<<<<<<< Now\n2\n=======\nold\n>>>>>>> Before the turn\n3\n4\nmine\n');
    expect(await window.conversation.undo.merges.close(merge)).toBe(false);
    await rm(join(on.place.workspace, 'a.txt'));
    expect(await window.conversation.undo.merges.close(merge)).toBe(false);
    expect((await on.events()).length).toBe(lines);
  });

  it('is refused where there is nothing to merge, and says why', async () => {
    await on.write('a.txt', 'one');
    const window = await changed(edit('c1', 'one', 'ONE'), write('c2', 'x.bin', 'text'));
    const { merges } = window.conversation.undo;
    const turn_id = await turnId();
    const why = async (path: string): Promise<unknown> => {
      const merge = await merges.open({ turn_id, way: 'undo', path });
      return 'sides' in merge ? 'opened' : merge.message;
    };
    expect(await why('a.txt')).toBe(
      'a.txt has not changed since, so there is nothing to merge. Undo it instead.',
    );
    expect(await why('other.txt')).toBe('There is nothing to merge: this turn has no such change.');
    await writeFile(join(on.place.workspace, 'x.bin'), Buffer.from([0, 1]));
    expect(await why('x.bin')).toBe('x.bin is not text, so it cannot be merged.');
    await on.write('a.txt', 'theirs');
    await rm(join(on.place.storage, 'blobs'), { recursive: true });
    expect(await why('a.txt')).toBe('The content of a.txt before the change is no longer in storage.');
  });

  it('is offered with the refusal of a file that has changed since', async () => {
    const window = await changedSince();
    await window.receive({ type: 'undo', turn_id: await turnId() });
    expect(window.failures.at(-1)?.next_actions).toEqual([
      {
        label: 'Merge a.txt…',
        command: 'ledgerline.mergeUndo',
        args: [{ turn_id: await turnId(), path: 'a.txt', way: 'undo' }],
      },
    ]);
  });

  it('of a file that is no text is not offered', async () => {
    await on.write('a.txt', 'one');
    const window = await changed(edit('c1', 'one', 'ONE'));
    await writeFile(join(on.place.workspace, 'a.txt'), Buffer.from([0, 1]));
    await window.receive({ type: 'undo', turn_id: await turnId() });
    expect(window.failures).toMatchObject([{ kind: 'file_changed', next_actions: [] }]);
    expect((await on.of('diagnostic')).at(-1)?.details).toEqual({
      paths: ['a.txt'],
      refusals: [{ path: 'a.txt', kind: 'file_changed' }],
    });
  });

  it('needs an editor', async () => {
    const window = await changedSince();
    await window.receive({ type: 'merge_undo', turn_id: await turnId(), path: 'a.txt' });
    await window.receive({ type: 'preview_undo', turn_id: await turnId() });
    expect(window.failures).toMatchObject([
      { for: 'merge_undo', kind: 'not_available' },
      { for: 'preview_undo', kind: 'not_available' },
    ]);
  });
});
