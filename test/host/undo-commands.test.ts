import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { editCommands } from '../../src/host/edit-commands.ts';
import { placeQuery } from '../../src/host/undo-place.ts';
import { shownMark } from '../../src/host/undo-preview.ts';
import { windowFixture } from './opened-window.ts';
import { double, Uri } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const on = windowFixture({ provider: 'offline', permissionMode: 'auto' });

/** A turn of the scripted model, to its end; answers with its session and its id. */
async function turn(text: string): Promise<{ readonly session_id: string; readonly turn_id: string }> {
  await on.window.chat.present({ type: 'send', client_turn_id: 'c1', text });
  await expect.poll(async () => (await on.window.chat.knownFacts()).state).toBe('completed');
  const { session_id, turn_id } = await on.window.chat.knownFacts();
  return { session_id: session_id ?? '', turn_id: turn_id ?? '' };
}

async function content(path: string): Promise<string | null> {
  return readFile(join(on.place.workspace, path), 'utf8').catch(() => null);
}

/** The address of a preview as it would be opened now. */
async function shownAs(
  way: 'undo' | 'redo',
  at: { readonly session_id: string; readonly turn_id: string },
): Promise<Uri> {
  const preview = await (await on.window.chat.host()).changes.preview({ turn_id: at.turn_id, way });
  const shown = preview === null ? '' : shownMark(preview);
  return Uri.from({ scheme: `ledgerline-${way}`, path: '/a.txt', query: placeQuery({ ...at, shown }) });
}

const BOTH = 'all write a.txt: one; write b.txt: two; run echo ran';

describe('the commands about undo', () => {
  test('list the files, and what a command did as what cannot be undone; to pick that does nothing', async () => {
    await turn(BOTH);
    double.answer = 'echo ran';
    await editCommands(on.window.parts).undoTurn();
    expect(double.offered.toSorted(([one], [other]) => one.localeCompare(other))).toEqual([
      ['a.txt', 'is removed'],
      ['b.txt', 'is removed'],
      ['echo ran', 'command: what it did cannot be undone'],
    ]);
    expect([await content('a.txt'), await content('b.txt')]).toEqual(['one', 'two']);
    // Whoever leaves the list has picked nothing: that is not the whole turn.
    double.answer = undefined;
    double.offered = [];
    await editCommands(on.window.parts).undoTurn();
    expect(double.offered).toHaveLength(3);
    expect([await content('a.txt'), await content('b.txt')]).toEqual(['one', 'two']);
  });

  test('list a file under a name that reads in its order, and mean the file', async () => {
    const odd = 'a\u202Etxt.exe';
    await turn(`all write ${odd}: one; write b.txt: two`);
    double.answer = 'a txt.exe';
    await editCommands(on.window.parts).undoTurn();
    expect(double.offered.map(([label]) => label).toSorted()).toEqual(['a txt.exe', 'b.txt']);
    expect([await content(odd), await content('b.txt')]).toEqual([null, 'two']);
  });

  test('say so where there is nothing to undo, redo or merge', async () => {
    await turn('list');
    const commands = editCommands(on.window.parts);
    for (const command of [commands.undoTurn, commands.redoTurn, commands.previewUndo, commands.mergeUndo])
      await command();
    expect(double.questions).toEqual([
      'There is nothing to undo: the last turn changed no file, or it was undone before.',
      'There is nothing to redo: nothing of the last turn was undone.',
      'There is nothing to undo: the last turn changed no file, or it was undone before.',
      'There is nothing to merge: no file of the last turn has changed since.',
    ]);
  });

  test('say that what commands did stays, also where there is nothing else', async () => {
    await turn('run echo ran');
    const commands = editCommands(on.window.parts);
    for (const command of [commands.undoTurn, commands.previewUndo, commands.redoTurn]) await command();
    const words =
      'There is nothing to undo: the last turn changed no file, or it was undone before. What its commands did cannot be undone here.';
    expect(double.questions).toEqual([
      words,
      words,
      'There is nothing to redo: nothing of the last turn was undone.',
    ]);
  });

  test('say in a fork that the last turn is undone in the session that was forked', async () => {
    await turn('write a.txt: one');
    await on.window.chat.present({ type: 'fork' });
    const commands = editCommands(on.window.parts);
    for (const command of [commands.undoTurn, commands.redoTurn, commands.previewUndo, commands.mergeUndo])
      await command();
    const words =
      'This turn is from the session that this one was forked from. What it changed is on record there, and is undone there.';
    expect(double.questions).toEqual([words, words, words, words]);
    expect(await content('a.txt')).toBe('one');
  });

  test('of a preview carry out what it shows, in the session that it is of, and close it', async () => {
    const at = await turn('write a.txt: one');
    const shown = await shownAs('undo', at);
    double.tabs = [{ input: undefined, label: 'Preview of undo, with notes (2 files)' }];
    await editCommands(on.window.parts).confirmUndo(shown);
    expect([await content('a.txt'), double.tabs]).toEqual([null, []]);
    const again = await shownAs('redo', at);
    double.tabs = [{ input: undefined, label: 'Something else' }];
    await editCommands(on.window.parts).confirmRedo(again);
    expect([await content('a.txt'), double.tabs.length]).toEqual(['one', 1]);
  });

  test('of a preview do nothing where that is not what would be done now, and show that instead', async () => {
    const at = await turn(BOTH);
    await writeFile(join(on.place.workspace, 'a.txt'), 'mine');
    const shown = await shownAs('undo', at);
    await writeFile(join(on.place.workspace, 'a.txt'), 'one');
    const { confirmUndo } = editCommands(on.window.parts);
    double.known = ['_workbench.openMultiDiffEditor'];
    for (const old of [
      shown,
      Uri.from({ scheme: 'ledgerline-undo', path: '/a.txt', query: placeQuery(at) }),
    ]) {
      double.tabs = [{ input: undefined, label: 'Preview of undo, with notes (2 files)' }];
      await confirmUndo(old);
      expect(double.tabs).toEqual([]);
    }
    expect([await content('a.txt'), await content('b.txt')]).toEqual(['one', 'two']);
    const words =
      'Something is different since this preview was opened, so nothing was changed. Look at what would be done now.';
    expect(double.questions).toEqual([words, words]);
    const previews = double.commands.filter(([name]) => name === '_workbench.openMultiDiffEditor');
    expect(previews.length).toBe(2);
    const [, last] = previews.at(-1) as [string, { readonly multiDiffSourceUri: Uri }];
    await confirmUndo(last.multiDiffSourceUri);
    expect([await content('a.txt'), await content('b.txt')]).toEqual([null, null]);
  });

  test('do nothing for a preview of a session that is not open, and for what is no preview', async () => {
    const { turn_id } = await turn('write a.txt: one');
    const { confirmUndo, mergeUndo } = editCommands(on.window.parts);
    const other = placeQuery({ session_id: 'ses_other', turn_id });
    await confirmUndo(Uri.from({ scheme: 'ledgerline-undo', path: '/a.txt', query: other }));
    expect(double.questions).toEqual([
      'This preview is of a session that is not open here. Open the session, then undo there.',
    ]);
    for (const odd of [undefined, 'x', Uri.file('/a.txt')]) await confirmUndo(odd);
    await mergeUndo({ turn_id, path: 7 });
    expect([
      await content('a.txt'),
      double.commands.filter(([name]) => name === '_open.mergeEditor'),
    ]).toEqual(['one', []]);
  });

  test('open a merge of the file that has changed since', async () => {
    double.known = ['_open.mergeEditor'];
    await turn('write a.txt: one');
    await writeFile(join(on.place.workspace, 'a.txt'), 'one and mine');
    await editCommands(on.window.parts).mergeUndo();
    const merge = double.commands.find(([name]) => name === '_open.mergeEditor');
    expect(String((merge?.[1] as { output: Uri } | undefined)?.output)).toBe(
      `file:${join(on.place.workspace, 'a.txt')}`,
    );
    expect(await content('a.txt')).toBe('one and mine');
  });
});
