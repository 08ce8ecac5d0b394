import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Fixture, stoppedContext } from './tool-fixture.ts';

test('files and folders are listed in one order, folders with a slash', async () => {
  using fixture = new Fixture();
  for (const name of ['b.txt', 'a/z.txt', 'a/b/c.txt', 'a-b.txt', 'a.txt', 'Z.txt', '\u{1F600}', '\uFF5E']) {
    fixture.write(name, '');
  }
  mkdirSync(fixture.path('empty'));
  expect(await fixture.say('list_files', {})).toBe(
    [
      'Z.txt',
      'a/',
      'a/b/',
      'a/b/c.txt',
      'a/z.txt',
      'a-b.txt',
      'a.txt',
      'b.txt',
      'empty/',
      '\uFF5E',
      '\u{1F600}',
    ].join('\n'),
  );
});

test('dependencies, ignored and denied files are left out and said to be', async () => {
  using fixture = new Fixture();
  for (const name of [
    'a.ts',
    'node_modules/x/i.js',
    '.git/HEAD',
    '.env',
    'dist/o.js',
    'k.pem',
    '.env.example',
  ]) {
    fixture.write(name, '');
  }
  fixture.write('.gitignore', 'dist\n');
  expect(await fixture.say('list_files', {})).toBe(
    '.env.example\n.gitignore\na.ts\n' +
      '[Left out as ignored: dist, node_modules. Left out as denied (secrets, version control): 3.]',
  );
});

test('a folder that is left out can be listed by its name', async () => {
  using fixture = new Fixture();
  fixture.write('.gitignore', 'dist\n');
  fixture.write('dist/js/o.js', '');
  fixture.write('node_modules/x/i.js', '');
  fixture.write('node_modules/x/node_modules/y.js', '');
  expect(await fixture.say('list_files', { path: 'dist/js' })).toBe('dist/js/o.js');
  expect(await fixture.say('list_files', { path: 'node_modules/x' })).toBe(
    'node_modules/x/i.js\n[Left out as ignored: node_modules/x/node_modules.]',
  );
});

test('a glob lists only the files that match, relative to the path', async () => {
  using fixture = new Fixture();
  for (const name of ['src/a.ts', 'src/b.js', 'src/deep/c.ts', 'd.ts']) fixture.write(name, '');
  expect(await fixture.say('list_files', { glob: '*.ts' })).toBe('d.ts\nsrc/a.ts\nsrc/deep/c.ts');
  expect(await fixture.say('list_files', { path: 'src', glob: 'deep/*.ts' })).toBe('src/deep/c.ts');
  expect(await fixture.say('list_files', { glob: '*.rs' })).toBe('[Nothing to list in ..]');
});

test('links are shown with where they lead and never followed', async () => {
  using fixture = new Fixture();
  fixture.write('a/x.txt', '');
  symlinkSync('..', fixture.path('a/up'));
  symlinkSync('a', fixture.path('b'));
  symlinkSync(fixture.outside, fixture.path('out'));
  symlinkSync('nowhere', fixture.path('gone'));
  execFileSync('mkfifo', [fixture.path('pipe')]);
  expect(await fixture.say('list_files', {})).toBe(
    [
      'a/',
      'a/up -> .',
      'a/x.txt',
      'b -> a',
      'gone -> nowhere',
      'out -> (outside_workspace)',
      'pipe (not a regular file)',
    ].join('\n'),
  );
});

test('more entries than the limit are counted', async () => {
  using fixture = new Fixture({ limits: { listEntries: 3 } });
  for (let n = 0; n < 10; n += 1) fixture.write(`f${n}`, '');
  expect(await fixture.say('list_files', {})).toBe(
    'f0\nf1\nf2\n[7 further entries are not shown; give a path or a glob.]',
  );
});

test('long names are cut to what an answer may hold', async () => {
  using fixture = new Fixture();
  for (let n = 0; n < 200; n += 1) fixture.write(`${String(n).padStart(3, '0')}-${'x'.repeat(200)}`, '');
  const said = await fixture.say('list_files', {});
  expect(said.split('\n').at(-1)).toBe('[46 further entries are not shown; give a path or a glob.]');
  expect(Buffer.byteLength(said)).toBeLessThan(32 * 1_024);
});

test('counting stops at a bound too', async () => {
  using fixture = new Fixture({ limits: { listEntries: 2, listVisited: 5 } });
  for (let n = 0; n < 10; n += 1) fixture.write(`f${n}`, '');
  expect(await fixture.say('list_files', {})).toBe(
    'f0\nf1\n[more than 3 further entries are not shown; give a path or a glob.]',
  );
});

test('several folders are listed one after the other under their names', async () => {
  using fixture = new Fixture();
  fixture.write('app/a.txt', '');
  fixture.write('lib/b.txt', '');
  using both = new Fixture({
    roots: [
      { name: 'app', path: join(fixture.root, 'app') },
      { name: 'lib', path: join(fixture.root, 'lib') },
    ],
  });
  expect(await both.say('list_files', {})).toBe('app/a.txt\nlib/b.txt');
  expect(await both.say('list_files', { path: 'lib' })).toBe('lib/b.txt');
});

test('a file or a missing folder is refused with what to do instead', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', '');
  expect(await fixture.say('list_files', { path: 'a.txt' })).toBe(
    'not_a_file: a.txt is not a folder. Use read_file to read a file.',
  );
  expect(await fixture.say('list_files', { path: 'nope' })).toBe(
    'not_found: nope does not exist. Use list_files to see what is there.',
  );
});

test('a stopped listing says that it was stopped', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', '');
  const context = stoppedContext();
  expect(await fixture.run('list_files', {}, context)).toMatchObject({ error: { kind: 'cancelled' } });
});
