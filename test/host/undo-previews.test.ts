import { describe, expect, test, vi } from 'vitest';
import type { PreviewedFile, UndoPreview } from '../../src/app/undo-preview.ts';
import type { OpenedMerge } from '../../src/app/undo-merges.ts';
import { openMerge } from '../../src/host/merge-editor.ts';
import { ShownDocuments } from '../../src/host/shown-documents.ts';
import { mergePlaceOf, placeOf, placeQuery } from '../../src/host/undo-place.ts';
import { openUndoPreview, shownMark } from '../../src/host/undo-preview.ts';
import { aboutUndo } from '../../src/host/undo-words.ts';
import { closeTabs, double, Uri } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

const MANY = '_workbench.openMultiDiffEditor';
const MERGE = '_open.mergeEditor';

function bytes(text: string | null): Buffer | null {
  return text === null ? null : Buffer.from(text);
}

function file(
  path: string,
  now: string | null,
  next: string | null,
  more: Partial<PreviewedFile> = {},
): PreviewedFile {
  return { path, now: bytes(now), next: bytes(next), is_binary: false, note: null, ...more };
}

function preview(files: readonly PreviewedFile[], more: Partial<UndoPreview> = {}): UndoPreview {
  return {
    turn_id: 't1',
    way: 'undo',
    files,
    refusals: [],
    commands: [],
    children: 0,
    inherited: false,
    ...more,
  };
}

/** Addresses as text. */
function opened(): readonly unknown[] {
  return JSON.parse(
    JSON.stringify(double.commands, (_key, value: unknown) =>
      value instanceof Uri ? value.toString() : (value ?? null),
    ),
  );
}

const t = (words: string, ...values: readonly string[]): string =>
  words.replaceAll(/\{(\d)\}/gu, (_, index: string) => values[Number(index)] ?? '');

describe('a preview of an undo', () => {
  test('of one file is a diff from what is there to what it would become', async () => {
    await openUndoPreview(
      preview([file('src/a.ts', 'now', 'next')], { path: 'src/a.ts' }),
      'ses_1',
      new ShownDocuments(),
    );
    const mark = shownMark(preview([file('src/a.ts', 'now', 'next')]));
    const place = `session_id=ses_1&turn_id=t1&path=src%2Fa.ts&shown=${mark}`;
    expect(opened()).toEqual([
      [
        'vscode.diff',
        `ledgerline-undo:/src/a.ts?${place}&side=now-1`,
        `ledgerline-undo:/src/a.ts?${place}&side=then-2`,
        'a.ts (now ↔ after undo)',
        { preview: true },
      ],
    ]);
  });

  test('says in the title that a file is removed or there again', async () => {
    const documents = new ShownDocuments();
    await openUndoPreview(preview([file('a.ts', 'now', null)]), 'ses_1', documents);
    await openUndoPreview(preview([file('a.ts', null, 'next')], { way: 'redo' }), 'ses_1', documents);
    await openUndoPreview(preview([file('a.ts', 'now', 'next')], { way: 'redo' }), 'ses_1', documents);
    expect(double.commands.map(([, , , title]) => title)).toEqual([
      'a.ts (now ↔ removed)',
      'a.ts (not there ↔ there again)',
      'a.ts (now ↔ after redo)',
    ]);
  });

  test('of several files is in the editor for many, with its own address for the buttons', async () => {
    double.known = [MANY];
    await openUndoPreview(
      preview([file('a.ts', 'now', 'next'), file('b.ts', 'new', null)]),
      'ses_1',
      new ShownDocuments(),
    );
    const [[name, shown]] = opened() as [[string, { title: string; resources: readonly object[] }]];
    expect(name).toBe(MANY);
    expect(shown).toMatchObject({
      title: 'Preview of undo',
      multiDiffSourceUri: expect.stringMatching(/^ledgerline-undo:.*session_id=ses_1&turn_id=t1/u),
      resources: [
        {
          originalUri: expect.stringMatching(/a\.ts.*side=now/u),
          modifiedUri: expect.stringMatching(/a\.ts.*side=then/u),
        },
        { originalUri: expect.stringMatching(/b\.ts.*side=now/u), modifiedUri: null },
      ],
    });
  });

  test('has what a diff cannot say in front of the diffs, and no diff of what is no text', async () => {
    double.known = [MANY];
    const binary = file('x.bin', 'ab', 'abc', { is_binary: true });
    await openUndoPreview(preview([file('a.ts', 'now', 'next'), binary]), 'ses_1', new ShownDocuments());
    const [[, shown]] = opened() as [
      [string, { title: string; resources: readonly { modifiedUri: string }[] }],
    ];
    expect(shown.title).toBe('Preview of undo, with notes');
    expect(
      shown.resources.map(({ modifiedUri }) => /side=(?<side>\w+)/u.exec(modifiedUri)?.groups?.['side']),
    ).toEqual(['about', 'then']);
  });

  test('is shown by the command that everybody has where the other is missing', async () => {
    await openUndoPreview(
      preview([file('a.ts', 'now', 'next'), file('b.ts', 'new', null)]),
      'ses_1',
      new ShownDocuments(),
    );
    expect(opened()).toMatchObject([
      [
        'vscode.changes',
        'Preview of undo',
        [
          [expect.any(String), expect.any(String), expect.any(String)],
          [expect.any(String), expect.any(String), null],
        ],
      ],
    ]);
  });
});

test('what an undo would do, and what not, is told in words', () => {
  const words = aboutUndo(
    preview(
      [
        file('a.ts', 'now', 'next', {
          note: 'a.ts: something else changed it between the edits, so only those after that were taken back.',
        }),
        file('new.ts', 'new', null),
        file('x.bin', 'ab', 'abc', { is_binary: true }),
      ],
      {
        refusals: [
          { path: 'b.ts', kind: 'file_changed', message: 'b.ts: changed since, so it was left as it is.' },
        ],
        commands: [{ call_id: 'c1', command: 'npm test\n&& rm -r out', outcome: 'succeeded', exit_code: 0 }],
        children: 2,
      },
    ),
    t,
  );
  expect(words.split('\n')).toEqual([
    'What undo would do. Nothing has been changed yet.',
    'As it was when this was opened.',
    'What is different by now is shown first.',
    '',
    'Files that are put back',
    '    a.ts',
    '    new.ts: is removed',
    '    x.bin: not text: 2 bytes now, 3 bytes then',
    '',
    'Files that are left as they are',
    '    a.ts: something else changed it between the edits, so only those after that were taken back.',
    '    b.ts: changed since, so it was left as it is.',
    '',
    'Cannot be undone: what these commands did stays',
    '    npm test && rm -r out',
    '',
    'Files that subagents of this turn changed',
    '    Each has a log of its own: undo them in their transcripts.',
    '',
  ]);
});

test('of one file it says so, and a path cannot pass for a line of ours', () => {
  const path = 'a.ts\n\nFiles that are left as they are\n    b.ts\u202E';
  const refusals = [
    { path, kind: 'file_changed', message: `${path}: changed since, so it was left as it is.` },
  ];
  expect(aboutUndo(preview([file(path, 'new', null)], { path, refusals }), t).split('\n')).toEqual([
    'What undo would do. Nothing has been changed yet.',
    'As it was when this was opened.',
    'What is different by now is shown first.',
    'Only of a.ts Files that are left as they are b.ts, of no other file.',
    '',
    'Files that are put back',
    '    a.ts Files that are left as they are b.ts: is removed',
    '',
    'Files that are left as they are',
    '    a.ts Files that are left as they are b.ts : changed since, so it was left as it is.',
    '',
  ]);
});

test('of a turn that goes on in a fork it says that the rest of it is undone elsewhere', async () => {
  double.known = [MANY];
  const goneOn = preview([file('a.ts', 'now', 'next')], { inherited: true });
  const words = 'What this turn changed before the fork is undone in the session that was forked.';
  expect(aboutUndo(goneOn, t).split('\n').at(-2)).toBe(words);
  await openUndoPreview(goneOn, 'ses_1', new ShownDocuments());
  expect(opened()).toMatchObject([[MANY, { title: 'Preview of undo, with notes' }]]);
});

test('what a preview shows is the same again only where all of it is', () => {
  const one = preview([file('a.ts', 'now', 'next')]);
  const refusals = [{ path: 'b.ts', kind: 'file_changed', message: 'b.ts: changed since.' }];
  const others = [
    preview([file('a.ts', 'other', 'next')]),
    preview([file('a.ts', 'now', null)]),
    preview([file('a.ts', 'now', '')]),
    preview([file('a.ts', 'now', 'next')], { refusals }),
    preview([file('a.ts', 'now', 'next')], { children: 1 }),
  ];
  expect(new Set([one, ...others].map(shownMark)).size).toBe(6);
  expect(shownMark(preview([file('a.ts', 'now', 'next')]))).toBe(shownMark(one));
});

describe('which undo is meant', () => {
  test('is read off the address of a preview, and off nothing else', () => {
    const place = { session_id: 'ses_1', turn_id: 't1', path: 'a b/ü&=.ts', shown: 'f00' };
    expect(placeOf(`${placeQuery(place)}&side=then-2`)).toEqual(place);
    expect(placeOf('session_id=ses_1&turn_id=t1&side=about-1')).toEqual({
      session_id: 'ses_1',
      turn_id: 't1',
    });
    for (const odd of ['', 'after-2', 'session_id=../x&turn_id=t1', 'session_id=ses_1', 'turn_id=t1'])
      expect(placeOf(odd)).toBeNull();
  });

  test('is checked where a button says it', () => {
    expect(mergePlaceOf({ turn_id: 't1', path: 'a.ts', way: 'redo', more: 1 })).toEqual({
      turn_id: 't1',
      path: 'a.ts',
      way: 'redo',
    });
    expect(mergePlaceOf({ turn_id: 't1', path: 'a.ts' })).toEqual({
      turn_id: 't1',
      path: 'a.ts',
      way: 'undo',
    });
    for (const odd of [
      null,
      'x',
      [],
      {},
      { turn_id: 't1' },
      { turn_id: 1, path: 'a' },
      { turn_id: 't1', path: 'a', way: 'x' },
    ])
      expect(mergePlaceOf(odd)).toBeNull();
  });
});

const OPENED: OpenedMerge = {
  request: { turn_id: 't1', way: 'undo', path: 'a.ts' },
  session_id: 'ses_1',
  sides: { kind: 'sides', path: 'a.ts', base: 'base', now: 'now', before: 'before', now_sha256: 'f00' },
};

describe('a merge', () => {
  const target = Uri.file('/w/a.ts') as unknown as Parameters<typeof openMerge>[1];

  test('opens in the merge editor on the file itself, and is over when that is closed', async () => {
    double.known = [MERGE];
    let closed = 0;
    await openMerge(OPENED, target, { documents: new ShownDocuments(), closed: () => void (closed += 1) });
    expect(opened()).toEqual([
      [
        MERGE,
        {
          base: 'ledgerline-shown:/a.ts?base-2',
          input1: { uri: 'ledgerline-shown:/a.ts?now-3', title: 'Now', description: 'the file as it is' },
          input2: {
            uri: 'ledgerline-shown:/a.ts?before-1',
            title: 'Before the turn',
            description: 'take these to undo',
          },
          output: 'file:/w/a.ts',
        },
      ],
    ]);
    await closeTabs([{ input: { result: Uri.file('/w/other.ts') } }, { input: undefined }]);
    expect(closed).toBe(0);
    await closeTabs([{ input: { result: Uri.file('/w/a.ts') } }]);
    await closeTabs([{ input: { result: Uri.file('/w/a.ts') } }]);
    expect(closed).toBe(1);
  });

  test('is a diff with the file itself where there is no merge editor', async () => {
    await openMerge(OPENED, target, { documents: new ShownDocuments(), closed: () => undefined });
    expect(opened()).toEqual([
      [
        'vscode.diff',
        'ledgerline-shown:/a.ts?before-1',
        'file:/w/a.ts',
        'a.ts (before the turn ↔ the file as it is)',
        { preview: false },
      ],
    ]);
  });
});
