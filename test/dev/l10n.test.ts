import { expect, test } from 'vitest';
import { bundleOf, gaps, isNamed, wordsIn, wordSources } from '../../src/dev/l10n.mjs';

test('words are found wherever they are handed over for translation', () => {
  const source = [
    "vscode.l10n.t('One {0}', 1)",
    "t('Two')",
    't("Don\'t")',
    "t(\n  'Four'\n)",
    String.raw`t('It\'s')`,
    't(label)',
    "at('no')",
    "x.t('no')",
  ].join(';\n');
  expect(wordsIn(source)).toEqual(['One {0}', 'Two', "Don't", 'Four', "It's"]);
});

test('words of a lower layer are known by their text', () => {
  const sources = [String.raw`const a = { label: 'It\'s "it"' };`];
  expect(isNamed({ sources, words: 'It\'s "it"' })).toBe(true);
  expect(isNamed({ sources, words: 'It' })).toBe(false);
});

test('what is missing, what is not used and what loses a value is told', () => {
  const sources = ["t('One {0}')", "t('Two')", "label: 'Three'"];
  const bundle = { 'One {0}': 'Eins', Three: 'Drei', Four: 'Vier' };
  expect(gaps({ sources, bundle })).toEqual({ missing: ['Two'], unused: ['Four'], broken: ['One {0}'] });
});

test('every word that the program shows has a German one, and no other', async () => {
  const sources = await wordSources();
  expect(sources.length).toBeGreaterThan(100);
  expect(gaps({ sources, bundle: await bundleOf('de') })).toEqual({ missing: [], unused: [], broken: [] });
});
