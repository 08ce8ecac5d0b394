import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/presenter/protocol.ts';
import { ChangedFiles } from '../../webview/changed-files.tsx';
import { click, draw, elementsIn } from '../support/small-dom.ts';
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

function card(items: readonly Item[], locked: string | null = null): Card {
  const posted: unknown[] = [];
  const presenter = { post: (message: unknown) => void posted.push(message), gesture: () => undefined };
  const { evidence } = turnOf([prompt(0), ...items]).fold;
  const { body } = draw(
    <ChangedFiles turn_id="t1" evidence={evidence} locked={locked} presenter={presenter} />,
  );
  const buttons = elementsIn(body).filter(({ localName }) => localName === 'button');
  const nameOf = (one: (typeof buttons)[number]): string =>
    one.attributes.get('aria-label') ?? one.textContent;
  const acts = buttons.filter((one) => !(one.attributes.get('class') ?? '').includes('file-name'));
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
  test('that stand can be looked at, previewed and undone, one by one and all', () => {
    const shown = card([change(1, 'a.ts'), change(2, 'b.ts')]);
    expect(shown.names).toEqual([
      'Diff of a.ts',
      'Preview undo of a.ts',
      'Undo a.ts',
      'Diff of b.ts',
      'Preview undo of b.ts',
      'Undo b.ts',
      'Diff all',
      'Preview undo',
      'Undo all (2)',
    ]);
    expect(shown.press('Preview undo of a.ts')).toEqual({
      type: 'preview_undo',
      turn_id: 't1',
      way: 'undo',
      path: 'a.ts',
    });
    expect(shown.press('Preview undo')).toEqual({ type: 'preview_undo', turn_id: 't1', way: 'undo' });
  });

  test('that were undone can be redone, and previewed that way', () => {
    const shown = card([change(1, 'a.ts'), change(2, 'b.ts'), UNDONE]);
    expect(shown.names).toEqual([
      'Diff of a.ts',
      'Preview redo of a.ts',
      'Redo a.ts',
      'Diff of b.ts',
      'Preview undo of b.ts',
      'Undo b.ts',
      'Diff all',
    ]);
    const all = card([
      change(1, 'a.ts'),
      change(2, 'b.ts'),
      UNDONE,
      change(4, 'b.ts', { undo_of: ['call_2'] }),
    ]);
    expect(all.names.slice(-2)).toEqual(['Diff all', 'Redo all (2)']);
  });

  test('of which a part was undone can go both ways', () => {
    const shown = card([change(1, 'a.ts'), change(2, 'a.ts'), change(3, 'a.ts', { undo_of: ['call_2'] })]);
    expect(shown.names).toEqual(['Diff of a.ts', 'Preview undo of a.ts', 'Undo a.ts', 'Redo a.ts']);
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
    const shown = card([change(1, 'a.ts'), change(2, 'b.ts'), UNDONE], 'Another window writes.');
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
