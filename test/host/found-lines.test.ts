import { expect, test, vi } from 'vitest';
import { foundLine } from '../../src/host/found-lines.ts';
import type { SearchHit } from '../../src/storage/session-search.ts';

vi.mock('vscode', async () => {
  const { vscodeDouble } = await import('./vscode-double.ts');
  class ThemeIcon {
    constructor(readonly id: string) {}
  }
  class ThemeColor {
    constructor(readonly id: string) {}
  }
  return { ...vscodeDouble, ThemeIcon, ThemeColor };
});

function hit(excerpt: SearchHit['excerpt'], prompt: string | null = null): SearchHit {
  const place = { session_id: 's1', turn_id: 't1', seq: 1, ts: null, where: 'output', state: null } as const;
  return { kind: 'hit', ...place, excerpt, prompt };
}

test('what was found draws no icon, turns no words around and has nothing that is not seen', () => {
  const excerpt = {
    before: '\u202eevil ',
    match: '$(warning)',
    after: ' \u001b[31mred\u001b[0m\u2066 end',
  };
  const { label, detail } = foundLine(hit(excerpt, 'ask \u202e$(bug)'), 'Title');
  expect([label, detail]).toEqual([
    'evil $\u200b(warning) [31mred [0m end',
    'Tool output · “ask $\u200b(bug)” · Title',
  ]);
});

test('a line of a result has words also where there are none, and not more than fit', () => {
  const nothing = foundLine(hit({ before: '', match: '', after: '' }), 'Title');
  const much = foundLine(hit({ before: '', match: 'x'.repeat(1000), after: 'y' }), 'Title');
  expect([nothing.label, much.label.length]).toEqual(['Tool output', 240]);
});
