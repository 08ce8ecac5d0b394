import { expect, test } from 'vitest';
import { PROJECT } from '../../src/dev/project.mjs';
import { parseSearchOptions, searchFiles } from '../../src/dev/search-options.mjs';

test('npm run simulate takes how long to search, and where', () => {
  expect(parseSearchOptions([])).toEqual({ seeds: 10, filters: [] });
  expect(parseSearchOptions(['--seeds', '25', 'storage', 'replay'])).toEqual({
    seeds: 25,
    filters: ['storage', 'replay'],
  });
  expect(parseSearchOptions(['--seeds=3'])).toEqual({ seeds: 3, filters: [] });
});

test.each([[['--seeds', 'many']], [['--seeds', '0']], [['--seeds']], [['--seed', '7']]])(
  'npm run simulate refuses %j',
  (args) => {
    expect(() => parseSearchOptions(args)).toThrow(/--seeds/u);
  },
);

test('it runs the tests that search, and no others', () => {
  const files = searchFiles({ root: PROJECT, filters: ['simulation/', 'dev/start'] });
  expect(files).toEqual(['test/simulation/simulation.test.ts']);
});

test('a test searches also when what it imports says how long', () => {
  expect(searchFiles({ root: PROJECT, filters: ['storage/cut-'] })).toEqual([
    'test/storage/cut-endings.test.ts',
    'test/storage/cut-rounds.test.ts',
  ]);
});
