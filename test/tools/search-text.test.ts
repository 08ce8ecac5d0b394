import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { editorCandidates, findRipgrep } from '../../src/tools/ripgrep-binary.ts';
import { both, engines, machine, REPOSITORY } from './search-engines-fixture.ts';
import { Fixture, RecordingContext } from './tool-fixture.ts';

test('the ripgrep of this repository is found, so that both engines are really compared', async () => {
  expect(await findRipgrep({ beside: REPOSITORY }, machine)).toContain('ripgrep');
  expect(await findRipgrep({ beside: '/nowhere/x.js' }, machine)).toBeUndefined();
});

test("VS Code's own ripgrep comes first, in any of its layouts", async () => {
  using fixture = new Fixture();
  const candidates = editorCandidates(fixture.folder, machine);
  expect(candidates.map((path) => path.slice(fixture.folder.length + 1))).toEqual(
    ['node_modules.asar.unpacked', 'node_modules'].flatMap((folder) => [
      `${folder}/@vscode/ripgrep-universal/bin/linux-x64/rg`,
      `${folder}/@vscode/ripgrep-linux-x64/bin/rg`,
      `${folder}/@vscode/ripgrep/bin/rg`,
      `${folder}/vscode-ripgrep/bin/rg`,
    ]),
  );
  expect(editorCandidates('C:\\Code', { platform: 'win32', arch: 'arm64' })[0]).toBe(
    'C:\\Code\\node_modules.asar.unpacked\\@vscode\\ripgrep-universal\\bin\\win32-arm64\\rg.exe',
  );
  const own = candidates[6] ?? '';
  mkdirSync(join(own, '..'), { recursive: true });
  writeFileSync(own, '');
  chmodSync(own, 0o755);
  expect(await findRipgrep({ appRoot: fixture.folder, beside: REPOSITORY }, machine)).toBe(own);
});

test('matches are given as path, line and text, sorted by path', async () => {
  expect(
    await both(
      { 'b.ts': 'x\nneedle 1\n', 'a/z.ts': '  needle 2', 'a.ts': 'needle 3\r\nno\r\nneedle needle 4\r\n' },
      { pattern: 'needle' },
    ),
  ).toBe('a/z.ts:1:   needle 2\na.ts:1: needle 3\na.ts:3: needle needle 4\nb.ts:2: needle 1');
});

test('nothing found is said', async () => {
  expect(await both({ 'a.ts': 'x' }, { pattern: 'y' })).toBe('[No matches.]');
});

test('literal text is not taken for a regular expression', async () => {
  const files = { 'a.ts': 'f(x)\nfx\n$a.b*\n-e\n' };
  expect(await both(files, { pattern: 'f(x)' })).toBe('a.ts:1: f(x)');
  expect(await both(files, { pattern: '$a.b*' })).toBe('a.ts:3: $a.b*');
  expect(await both(files, { pattern: '-e' })).toBe('a.ts:4: -e');
});

test('secrets, version control, dependencies, ignored and binary files are not searched', async () => {
  expect(
    await both(
      {
        '.env': 'needle',
        '.env.example': 'needle',
        'key.pem': 'needle',
        '.git/config': 'needle',
        'node_modules/a.js': 'needle',
        'dist/a.js': 'needle',
        'src/gen/a.js': 'needle',
        '.gitignore': 'dist\n',
        'src/.gitignore': '/gen/\n',
        '.hidden/a.js': 'needle',
        'bin.dat': Buffer.from('needle\0needle'),
        'late.dat': Buffer.concat([Buffer.from('needle\n'), Buffer.alloc(200_000, 'x\n'), Buffer.from([0])]),
      },
      { pattern: 'needle' },
    ),
  ).toBe('.env.example:1: needle\n.hidden/a.js:1: needle');
});

test('a path and a glob narrow the search, and a left-out folder can be named', async () => {
  const files = {
    'src/a.ts': 'needle',
    'src/b.js': 'needle',
    'src/deep/c.ts': 'needle',
    'd.ts': 'needle',
    '.gitignore': 'out\n',
    'out/e.ts': 'needle',
  };
  expect(await both(files, { pattern: 'needle', path: 'src' })).toBe(
    'src/a.ts:1: needle\nsrc/b.js:1: needle\nsrc/deep/c.ts:1: needle',
  );
  expect(await both(files, { pattern: 'needle', glob: '*.ts' })).toBe(
    'd.ts:1: needle\nsrc/a.ts:1: needle\nsrc/deep/c.ts:1: needle',
  );
  expect(await both(files, { pattern: 'needle', glob: 'src/*.{ts,js}' })).toBe(
    'src/a.ts:1: needle\nsrc/b.js:1: needle',
  );
  expect(await both(files, { pattern: 'needle', path: 'src', glob: 'deep/**' })).toBe(
    'src/deep/c.ts:1: needle',
  );
  expect(await both(files, { pattern: 'needle', path: 'out' })).toBe('out/e.ts:1: needle');
  expect(await both(files, { pattern: 'needle', path: 'src/a.ts' })).toBe('src/a.ts:1: needle');
  expect(await both(files, { pattern: 'needle', path: 'src/none.ts' })).toBe(
    'not_found: src/none.ts does not exist. Use list_files to see what is there.',
  );
});

test('encodings with a mark, bad bytes and odd line separators are the same to both', async () => {
  expect(
    await both(
      {
        'bom.txt': '\uFEFFneedle bom',
        'le.txt': Buffer.from('\uFEFFneedle ü\r\n', 'utf16le'),
        'bad.txt': Buffer.concat([Buffer.from('é '), Buffer.from([0xff]), Buffer.from(' needle\n')]),
        'sep.txt': 'a\u2028needle\u2029b\u0085c\n',
        'cr.txt': 'a\rneedle\rb\n',
      },
      { pattern: 'needle' },
    ),
  ).toBe(
    [
      'bad.txt:1: é \uFFFD needle',
      'bom.txt:1: needle bom',
      'cr.txt:1: a\rneedle\rb',
      'le.txt:1: needle ü',
      'sep.txt:1: a\u2028needle\u2029b\u0085c',
    ].join('\n'),
  );
});

test('more matches than the limit are cut with a hint', async () => {
  for (const beside of [REPOSITORY, '/nowhere/x.js']) {
    using fixture = new Fixture({ ripgrep: { beside }, limits: { searchMatches: 2 } });
    fixture.write('a.txt', 'n\n'.repeat(5));
    fixture.write('b.txt', 'n\n');
    const cut = 'a.txt:1: n\na.txt:2: n\n[More lines match than these 2; narrow pattern, path or glob.]';
    expect(await fixture.say('search_text', { pattern: 'n' })).toBe(cut);
    expect(await fixture.say('search_text', { pattern: 'n', path: 'a.txt' })).toBe(cut);
  }
});

test('many long lines are cut to what an answer may hold', async () => {
  const said = await both({ 'a.txt': `${'n'.repeat(1_000)}\n`.repeat(300) }, { pattern: 'n' });
  expect(said.split('\n').at(-1)).toBe('[More lines match than these 101; narrow pattern, path or glob.]');
  expect(Buffer.byteLength(said)).toBeLessThan(32 * 1_024);
});

test('of a long line the part around the match is shown', async () => {
  const text = `${'a'.repeat(5_000)}needle${'b'.repeat(5_000)}`;
  const said = await both({ 'a.min.js': text }, { pattern: 'needle' });
  expect(said).toBe(`a.min.js:1: …${'a'.repeat(75)}needle${'b'.repeat(219)}…`);
});

test('links are not followed', async () => {
  for (const [, fixture] of engines()) {
    using disposed = fixture;
    writeFileSync(join(disposed.outside, 'x.txt'), 'needle');
    symlinkSync(disposed.outside, disposed.path('out'));
    symlinkSync(join(disposed.outside, 'x.txt'), disposed.path('x.txt'));
    symlinkSync('.', disposed.path('loop'));
    disposed.write('a.txt', 'needle');
    expect(await disposed.say('search_text', { pattern: 'needle' })).toBe('a.txt:1: needle');
  }
});

test('a regular expression that would take for ever is ended after the time allowed', async () => {
  using fixture = new Fixture({ ripgrep: { beside: '/nowhere/x.js' }, limits: { searchMs: 300 } });
  fixture.write('a.txt', `${'a'.repeat(60)}!\n`);
  expect(await fixture.say('search_text', { pattern: '^(a+)+$', regex: true })).toBe(
    'search_failed: The search found nothing within 0.3 s and was stopped. ' +
      'Give a path or a glob, or simplify the pattern.',
  );
});

test('stopping a search ends it at once, also inside a regular expression', async () => {
  using fixture = new Fixture({ ripgrep: { beside: '/nowhere/x.js' } });
  fixture.write('a.txt', `${'a'.repeat(60)}!\n`);
  const context = new RecordingContext();
  const started = new Promise<Worker>((resolve) => process.once('worker', resolve));
  const running = fixture.run('search_text', { pattern: '^(a+)+$', regex: true }, context);
  const worker = await started;
  // Its thread is at work on one thing, which is the expression: it has nothing else to do for so long.
  await expect.poll(() => worker.performance.eventLoopUtilization().active).toBeGreaterThan(20);
  context.abort();
  expect(await running).toMatchObject({ kind: 'failure', error: { kind: 'cancelled' } });
});

test('stopping a search ends ripgrep', async () => {
  using program = new Fixture();
  const [binary] = editorCandidates(program.folder, machine);
  mkdirSync(join(binary ?? '', '..'), { recursive: true });
  const pidFile = join(program.folder, 'pid');
  writeFileSync(
    binary ?? '',
    `#!/bin/sh\necho $$ > ${pidFile}.new\nmv ${pidFile}.new ${pidFile}\nexec sleep 300\n`,
  );
  chmodSync(binary ?? '', 0o755);
  using fixture = new Fixture({ ripgrep: { appRoot: program.folder } });
  const context = new RecordingContext();
  const running = fixture.run('search_text', { pattern: 'x' }, context);
  await expect.poll(() => existsSync(pidFile)).toBe(true);
  context.abort();
  expect(await running).toMatchObject({ kind: 'failure', error: { kind: 'cancelled' } });
  const pid = Number(readFileSync(pidFile, 'utf8'));
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('a ripgrep that cannot be started is replaced by the plain search', async () => {
  using fixture = new Fixture();
  const [binary] = editorCandidates(fixture.folder, machine);
  mkdirSync(join(binary ?? '', '..'), { recursive: true });
  writeFileSync(binary ?? '', 'not a program');
  chmodSync(binary ?? '', 0o755);
  using broken = new Fixture({ ripgrep: { appRoot: fixture.folder } });
  broken.write('a.txt', 'needle');
  expect(await broken.say('search_text', { pattern: 'needle' })).toBe('a.txt:1: needle');
});
