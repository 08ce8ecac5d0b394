import type { VNode } from 'preact';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/presenter/protocol.ts';
import { ChangedFiles } from '../../webview/changed-files.tsx';
import { click, draw, elementsIn, type SmallElement } from '../support/small-dom.ts';
import { item, prompt, turnOf } from './log-items.ts';

function change(seq: number, path: string, more: Record<string, unknown> = {}): Item {
  const hashes = { before_sha256: 'a', after_sha256: 'b', before_blob: 'a', added: 1, removed: 1 };
  return item(seq, 'file_change', { call_id: `call_${seq}`, path, ...hashes, ...more });
}

function said(seq: number, code: string, details: object): Item {
  return item(seq, 'diagnostic', { code, message: '', details });
}

interface Card {
  readonly text: string;
  /** The names of its buttons, in their order. */
  readonly names: readonly string[];
  readonly locked: readonly string[];
  readonly press: (name: string) => unknown;
}

function nameOf(one: SmallElement): string {
  return one.attributes.get('aria-label') ?? one.textContent;
}

/** With what is behind these buttons opened. */
function card(
  items: readonly Item[],
  { locked = null, opened = [] }: { locked?: string | null; opened?: readonly string[] } = {},
): Card {
  const posted: unknown[] = [];
  const presenter = { post: (message: unknown) => void posted.push(message), gesture: () => undefined };
  const { evidence } = turnOf([prompt(0), ...items]).fold;
  const view = (): VNode => (
    <ChangedFiles turn_id="t1" evidence={evidence} locked={locked} presenter={presenter} />
  );
  const document = draw(view());
  const { body } = document;
  const drawn = (): readonly SmallElement[] =>
    elementsIn(body).filter(
      ({ localName, attributes }) =>
        localName === 'button' && !(attributes.get('class') ?? '').includes('file-name'),
    );
  for (const name of opened) {
    const more = drawn().find((one) => nameOf(one) === name);
    if (more === undefined) throw new Error(`no button ${name}`);
    click(more);
    draw(view(), document);
  }
  const acts = drawn();
  return {
    text: body.textContent,
    names: acts.map(nameOf),
    locked: acts.filter((one) => one.attributes.get('disabled') === 'true').map(nameOf),
    press: (name) => {
      const found = acts.find((one) => nameOf(one) === name);
      if (found === undefined) throw new Error(`no button ${name}`);
      click(found);
      return posted.at(-1);
    },
  };
}

const UNDONE = change(3, 'a.ts', { undo_of: ['call_1'] });

describe('the files of a turn', () => {
  test('have one thing each in view, and the rest behind one button', () => {
    const shown = card([change(1, 'a.ts'), change(2, 'b.ts')]);
    expect(shown.names).toEqual([
      'Diff of a.ts',
      'More for a.ts',
      'Diff of b.ts',
      'More for b.ts',
      'Diff all',
      'Undo all (2)',
      'More for all files',
    ]);
    expect(shown.press('Diff all')).toEqual({ type: 'show_change', turn_id: 't1' });
  });

  test('that stand can be looked at, previewed and undone, one by one and all', () => {
    const shown = card([change(1, 'a.ts'), change(2, 'b.ts')], {
      opened: ['More for a.ts', 'More for all files'],
    });
    expect(shown.names).toEqual([
      'Diff of a.ts',
      'More for a.ts',
      'Preview undo of a.ts',
      'Undo a.ts',
      'Diff of b.ts',
      'More for b.ts',
      'Diff all',
      'Undo all (2)',
      'More for all files',
      'Preview undo',
    ]);
    expect(shown.press('Preview undo of a.ts')).toEqual({
      type: 'preview_undo',
      turn_id: 't1',
      way: 'undo',
      path: 'a.ts',
    });
    expect(shown.press('Preview undo')).toEqual({ type: 'preview_undo', turn_id: 't1', way: 'undo' });
    expect(
      card([change(1, 'a.ts'), change(2, 'b.ts')], { opened: ['More for a.ts', 'More for a.ts'] }).names,
    ).not.toContain('Undo a.ts');
  });

  test('that were undone can be redone, and previewed that way', () => {
    const shown = card([change(1, 'a.ts'), change(2, 'b.ts'), UNDONE], { opened: ['More for a.ts'] });
    expect(shown.names).toEqual([
      'Diff of a.ts',
      'More for a.ts',
      'Preview redo of a.ts',
      'Redo a.ts',
      'Diff of b.ts',
      'More for b.ts',
      'Diff all',
    ]);
    const both = [change(1, 'a.ts'), change(2, 'b.ts'), UNDONE, change(4, 'b.ts', { undo_of: ['call_2'] })];
    const all = card(both, { opened: ['More for all files'] });
    expect(all.names.slice(-4)).toEqual(['Diff all', 'Redo all (2)', 'More for all files', 'Preview redo']);
    expect(all.press('Preview redo')).toEqual({ type: 'preview_undo', turn_id: 't1', way: 'redo' });
  });

  test('that were undone say only that, and no longer what was done', () => {
    const made = change(1, 'a.ts', { before_sha256: null, before_blob: null, created: true });
    expect(card([made]).text).toBe('Filesa.tsnew+1 −1DiffPreviewUndo');
    expect(card([made, UNDONE]).text).toBe('Filesa.tsundoneDiffPreviewRedo');
  });

  test('of which some stand and some were undone can go both ways', () => {
    const four = ['a.ts', 'b.ts', 'c.ts', 'd.ts'].map((path, at) => change(at + 1, path));
    const undone = [change(5, 'c.ts', { undo_of: ['call_3'] }), change(6, 'd.ts', { undo_of: ['call_4'] })];
    const shown = card([...four, ...undone], { opened: ['More for all files'] });
    expect(shown.names.slice(-5)).toEqual([
      'Diff all',
      'Undo all (2)',
      'More for all files',
      'Preview undo',
      'Redo all (2)',
    ]);
  });

  test('are one file: then nothing is behind a button', () => {
    const shown = card([change(1, 'a.ts'), change(2, 'a.ts'), change(3, 'a.ts', { undo_of: ['call_2'] })]);
    expect(shown.names).toEqual([
      'Diff of a.ts',
      'More for a.ts',
      'Preview undo of a.ts',
      'Undo a.ts',
      'Redo a.ts',
    ]);
  });

  test('that have changed since say so, and offer a merge in the way that was refused', () => {
    const details = { paths: ['a.ts'], refusals: [{ path: 'a.ts', kind: 'file_changed', can_merge: true }] };
    const refused = card([change(1, 'a.ts'), said(2, 'undo_refused', details)]);
    expect(refused.text).toContain('Changed since, so it was left as it is.');
    expect(refused.press('Merge a.ts')).toEqual({
      type: 'merge_undo',
      turn_id: 't1',
      way: 'undo',
      path: 'a.ts',
    });
    const again = card([change(1, 'a.ts'), UNDONE, said(4, 'redo_refused', details)]);
    expect(again.press('Merge a.ts')).toMatchObject({ way: 'redo' });
    const partly = [change(1, 'a.ts'), change(2, 'a.ts'), change(3, 'a.ts', { undo_of: ['call_2'] })];
    expect(card([...partly, said(4, 'redo_refused', details)]).press('Merge a.ts')).toMatchObject({
      way: 'redo',
    });
    const beside = card([change(1, 'a.ts'), change(2, 'b.ts'), said(3, 'undo_refused', details)]);
    expect(beside.names.slice(0, 5)).toEqual([
      'Diff of a.ts',
      'More for a.ts',
      'Preview undo of a.ts',
      'Undo a.ts',
      'Merge a.ts',
    ]);
  });

  test('say what was begun or opened and has no end on record', () => {
    const paths = { paths: ['a.ts'] };
    expect(card([change(1, 'a.ts'), said(2, 'undo_requested', paths)]).text).toContain('An undo was begun');
    expect(card([change(1, 'a.ts'), UNDONE, said(4, 'redo_requested', paths)]).text).toContain(
      'A redo was begun',
    );
    expect(card([change(1, 'a.ts'), said(2, 'undo_merge_opened', paths)]).text).toContain(
      'A merge was opened.',
    );
  });

  test('can be looked at, and nothing else, where nothing can be changed', () => {
    const shown = card([change(1, 'a.ts'), change(2, 'b.ts'), UNDONE], {
      locked: 'Another window writes.',
      opened: ['More for a.ts', 'More for b.ts'],
    });
    expect(shown.locked).toEqual(['Redo a.ts', 'Undo b.ts']);
  });

  test('that children changed are said to be elsewhere, also where the turn itself changed none', () => {
    const child = item(1, 'subagent_event', { event: 'spawned', agent: 'worker', subagent_id: 'w1' });
    expect(card([child]).text).toBe(
      'Files that subagents changed are not listed here: undo them in their transcripts.',
    );
    expect(card([]).text).toBe('');
  });
});
