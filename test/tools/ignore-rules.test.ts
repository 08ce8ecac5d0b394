import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { Fixture } from './tool-fixture.ts';

const FILES = [
  'a.log',
  'keep.log',
  'build/out.js',
  'src/build/gen.js',
  'src/app.ts',
  'src/app.gen.ts',
  'src/keep.gen.ts',
  'docs/a.tmp',
  'docs/deep/b.tmp',
  'docs/deep/c.md',
  'root-only.txt',
  'sub/root-only.txt',
  'sub/.gitignore',
  'sub/local.txt',
  'sub/a.log',
  'sub/special/x.txt',
  '#hash.txt',
  'space .txt',
  'logs/2024/x.txt',
  'logs/important/y.txt',
  'foo[1].txt',
  'abc.txt',
  'abd.txt',
];

const RULES = [
  '# a comment',
  '',
  '*.log',
  '!keep.log',
  'build/',
  '*.gen.ts',
  '!src/keep.gen.ts',
  'docs/**/*.tmp',
  '/root-only.txt',
  '\\#hash.txt',
  'space\\ .txt',
  'logs/*',
  '!logs/important',
  'foo\\[1\\].txt',
  'ab[c].txt',
  'trailing.txt   ',
].join('\n');

test('what .gitignore files name is left out, exactly as git has it', async () => {
  using fixture = new Fixture();
  for (const file of FILES) fixture.write(file, 'x\n');
  fixture.write('.gitignore', RULES);
  fixture.write('sub/.gitignore', 'local.txt\r\n!a.log\r\n/special\r\n');
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, {
      cwd: fixture.root,
      encoding: 'utf8',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
    });
  git('init', '-q');
  const kept = git('ls-files', '-z', '--others', '--exclude-standard')
    .split('\0')
    .filter((name) => name !== '');
  const listed = await fixture.say('list_files', { glob: '**' });
  expect(
    listed
      .split('\n')
      .filter((line) => !line.startsWith('['))
      .sort(),
  ).toEqual(kept.toSorted());
});
