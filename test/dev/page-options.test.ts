import path from 'node:path';
import { expect, test } from 'vitest';
import { parsePageOptions } from '../../src/dev/page-options.mjs';
import { projectPath } from '../../src/dev/project.mjs';

test('npm run page takes its options in any order', () => {
  expect(parsePageOptions([])).toEqual({ kind: 'gallery', port: 0, open: true });
  expect(parsePageOptions(['--no-open', '--port', '4000'])).toEqual({
    kind: 'gallery',
    port: 4000,
    open: false,
  });
  expect(parsePageOptions(['--port=4000', '--no-open'])).toEqual({
    kind: 'gallery',
    port: 4000,
    open: false,
  });
});

test('pictures go to a folder, of the states that a filter names', () => {
  expect(parsePageOptions(['--pictures'])).toEqual({
    kind: 'pictures',
    folder: projectPath('dist', 'pictures'),
    filter: '',
  });
  const named = { kind: 'pictures', folder: path.resolve('shots'), filter: 'turn-' };
  expect(parsePageOptions(['--pictures', 'shots', 'turn-'])).toEqual(named);
  expect(parsePageOptions(['shots', 'turn-', '--pictures'])).toEqual(named);
});

test.for([
  [['--port'], '--port needs a port, not ""'],
  [['--port', 'abc'], '--port needs a port, not "abc"'],
  [['--port', '99999'], '--port needs a port, not "99999"'],
  [['--port', '--no-open'], '--port needs a port, not "--no-open"'],
  [['--port='], '--port needs a port, not ""'],
  [['--prot', '1'], 'unknown option --prot'],
  [['--no-open=1'], 'unknown option --no-open=1'],
  [['4000'], 'unknown word "4000"'],
  [['--pictures', 'shots', 'turn-', 'card-'], 'unknown word "card-"'],
  [['--pictures', 'shots', '--port', '1'], '--port does not go with --pictures'],
  [['--no-open', '--pictures'], '--no-open does not go with --pictures'],
] as const)('npm run page refuses %j', ([args, message]) => {
  expect(() => parsePageOptions(args)).toThrow(message);
});
