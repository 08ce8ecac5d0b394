import { expect, test, vi } from 'vitest';
import { bundleOf } from '../../src/dev/l10n.mjs';
import { treeItem } from '../../src/host/node-look.ts';
import { stateWords } from '../../src/host/session-words.ts';
import { node, type NodeDraft } from '../../src/runtime/inspection/tree-node.ts';

const german = await bundleOf('de');

/** As much of VS Code as a line of a tree needs, with its language set to German. */
vi.mock('vscode', () => ({
  TreeItem: class {
    constructor(readonly label: string) {}
  },
  ThemeIcon: class {
    constructor(readonly id: string) {}
  },
  ThemeColor: class {
    constructor(readonly id: string) {}
  },
  TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
  env: { language: 'de' },
  l10n: {
    t: (words: string, ...values: readonly unknown[]) =>
      (german[words] ?? words).replaceAll(/\{(\d)\}/gu, (_, index: string) => String(values[Number(index)])),
  },
}));

function shown(draft: Omit<NodeDraft, 'id' | 'parent'>): readonly unknown[] {
  const { label, description } = treeItem(node({ id: 'one', parent: null, ...draft }), 's1', null);
  return [label, description];
}

test('the lines of the trees are German, and the words of people and models are their own', () => {
  expect(shown({ kind: 'session', state: 'ok', label: 'Session', detail: '1 turn, 12 events' })).toEqual([
    'Sitzung',
    '1 Runde, 12 Ereignisse',
  ]);
  expect(shown({ kind: 'turn', state: 'completed', label: 'Stop', detail: '2 calls' })).toEqual([
    'Stop',
    'Abgeschlossen, 2 Aufrufe',
  ]);
  expect(shown({ kind: 'turn', state: 'interrupted', label: 'Read', detail: 'stopped by you' })).toEqual([
    'Read',
    'Antwort unterbrochen: von Ihnen gestoppt',
  ]);
  expect(shown({ kind: 'check', state: 'attention', label: '2 calls waiting for a person.' })).toEqual([
    '2 Aufrufe warten auf eine Person.',
    '',
  ]);
  expect(shown({ kind: 'call', state: 'failed', label: 'read_file a.txt', detail: 'not found' })).toEqual([
    'read_file a.txt',
    'Fehlgeschlagen: nicht gefunden',
  ]);
});

test('what is wrong with a log is said in German', () => {
  expect(stateWords({ problem: 'The log is damaged: no seq.', state: null })).toBe(
    'Das Protokoll ist beschädigt: no seq.',
  );
});
