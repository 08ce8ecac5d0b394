import { describe, expect, test, vi } from 'vitest';
import type { ShownChange } from '../../src/app/changes.ts';
import { openChanges } from '../../src/host/change-diff.ts';
import { ShownDocuments } from '../../src/host/shown-documents.ts';
import { double, Uri } from './vscode-double.ts';

vi.mock('vscode', async () => (await import('./vscode-double.ts')).vscodeDouble);

function change(path: string): ShownChange {
  return { kind: 'shown', path, before: `old ${path}`, after: `new ${path}`, standing: 'made' };
}

const REFUSED: ShownChange = { kind: 'refused', message: 'logo.png is not text, so there is no diff of it.' };

/** Addresses as text. */
function opened(): readonly unknown[] {
  return JSON.parse(
    JSON.stringify(double.commands, (_key, value: unknown) =>
      value instanceof Uri ? value.toString() : value,
    ),
  );
}

describe('changes are shown', () => {
  test('of one file in the diff editor', async () => {
    expect(await openChanges([change('src/a.ts')], new ShownDocuments())).toEqual([]);
    expect(opened()).toEqual([
      [
        'vscode.diff',
        'ledgerline-shown:/src/a.ts?before-1',
        'ledgerline-shown:/src/a.ts?after-2',
        'a.ts (changed by Ledgerline)',
        { preview: true },
      ],
    ]);
  });

  test('of many files in one editor, each with both sides, in their order', async () => {
    const paths = Array.from({ length: 40 }, (_, index) => `src/f${index}.ts`);
    const refusals = await openChanges([...paths.map(change), REFUSED], new ShownDocuments());
    expect(refusals).toEqual([REFUSED.kind === 'refused' ? REFUSED.message : '']);
    const sides = paths.map((path, index) => {
      const after = `ledgerline-shown:/${path}?after-${2 * index + 2}`;
      return [after, `ledgerline-shown:/${path}?before-${2 * index + 1}`, after];
    });
    expect(opened()).toEqual([['vscode.changes', 'Changes by Ledgerline (40 files)', sides]]);
  });

  test('of one file in the diff editor also when others were refused', async () => {
    await openChanges([REFUSED, change('a.ts')], new ShownDocuments());
    expect(double.commands.map(([command]) => command)).toEqual(['vscode.diff']);
  });

  test('in no editor when all were refused', async () => {
    expect(await openChanges([REFUSED], new ShownDocuments())).toHaveLength(1);
    expect(double.commands).toEqual([]);
  });
});
