import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { Fixture, stoppedContext } from './tool-fixture.ts';

test('a small file is returned as it is', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', 'one\n\ntwo\n');
  fixture.write('open.txt', 'no newline');
  expect(await fixture.say('read_file', { path: 'a.txt' })).toBe('one\n\ntwo\n');
  expect(await fixture.say('read_file', { path: 'open.txt' })).toBe('no newline');
});

test('an empty file says so', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', '');
  expect(await fixture.say('read_file', { path: 'a.txt' })).toBe('[a.txt is empty.]');
});

test('a range is returned under a line that says which', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', 'one\ntwo\nthree\nfour\n');
  const read = async (start_line?: number, end_line?: number) =>
    await fixture.say('read_file', { path: 'a.txt', start_line, end_line });
  expect(await read(2, 3)).toBe('[a.txt: lines 2-3 of 4.]\ntwo\nthree\n');
  expect(await read(4)).toBe('[a.txt: lines 4-4 of 4.]\nfour\n');
  expect(await read(1, 4)).toBe('one\ntwo\nthree\nfour\n');
  expect(await read(1, 99)).toBe('one\ntwo\nthree\nfour\n');
  expect(await read(5)).toBe('invalid_arguments: start_line 5 is past the end: a.txt has 4 lines.');
});

test('a file of more lines than the limit says where to read on', async () => {
  using fixture = new Fixture({ limits: { readLines: 3 } });
  fixture.write('a.txt', '1\n2\n3\n4\n5\n');
  expect(await fixture.say('read_file', { path: 'a.txt' })).toBe(
    '[a.txt: lines 1-3 of 5. Read on with start_line=4.]\n1\n2\n3\n',
  );
  expect(await fixture.say('read_file', { path: 'a.txt', start_line: 4 })).toBe(
    '[a.txt: lines 4-5 of 5.]\n4\n5\n',
  );
});

test('a file of more bytes than the limit ends after a whole line', async () => {
  using fixture = new Fixture({ limits: { readBytes: 10 } });
  fixture.write('a.txt', 'aaaa\nbbbb\ncccc\n');
  expect(await fixture.say('read_file', { path: 'a.txt' })).toBe(
    '[a.txt: lines 1-2 of 3. Read on with start_line=3.]\naaaa\nbbbb\n',
  );
});

test('a line that is longer than the limit is cut inside no character', async () => {
  using fixture = new Fixture({ limits: { readBytes: 10 } });
  fixture.write('a.txt', `${'é'.repeat(100)}\nnext\n`);
  fixture.write('b.txt', '😀'.repeat(100_000));
  expect(await fixture.say('read_file', { path: 'a.txt' })).toBe(
    '[a.txt: lines 1-1 of 2. Line 1 is longer than the limit: only its beginning is shown. ' +
      `Read on with start_line=2.]\n${'é'.repeat(5)}\n`,
  );
  expect(await fixture.say('read_file', { path: 'b.txt' })).toBe(
    '[Line 1 is longer than the limit: only its beginning is shown.]\n😀😀',
  );
});

test('line ends are shown as LF and a byte order mark not at all', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', '\uFEFFone\r\ntwo\r\n');
  expect(await fixture.say('read_file', { path: 'a.txt' })).toBe('one\ntwo\n');
});

test('characters across the borders of chunks stay whole', async () => {
  using fixture = new Fixture({ limits: { readBytes: 1_000_000 } });
  const text = `a${'é'.repeat(100_000)}\n`;
  fixture.write('a.txt', text);
  expect(await fixture.say('read_file', { path: 'a.txt' })).toBe(text);
});

test('UTF-16 with its mark is read as text', async () => {
  using fixture = new Fixture();
  fixture.write('le.txt', Buffer.from('\uFEFFhällo\r\n', 'utf16le'));
  fixture.write('be.txt', Buffer.from('\uFEFFhällo\n', 'utf16le').swap16());
  expect(await fixture.say('read_file', { path: 'le.txt' })).toBe('hällo\n');
  expect(await fixture.say('read_file', { path: 'be.txt' })).toBe('hällo\n');
});

test('bytes that are no text are shown as such and said to be', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', Buffer.from([0x61, 0xff, 0x62, 0x0a]));
  expect(await fixture.say('read_file', { path: 'a.txt' })).toBe(
    '[Bytes that are not valid text are shown as U+FFFD.]\na\uFFFDb\n',
  );
});

test('a binary file is refused with its kind and size', async () => {
  using fixture = new Fixture();
  fixture.write('a.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]));
  fixture.write('late.bin', Buffer.concat([Buffer.alloc(20_000, 'a\n'), Buffer.from([0])]));
  expect(await fixture.run('read_file', { path: 'a.png' })).toEqual({
    kind: 'failure',
    error: {
      kind: 'binary_file',
      message: 'a.png is not text: PNG image, 6 bytes. Use run_command with a program for it.',
      details: { size: 6, what: 'PNG image' },
    },
    changes: [],
  });
  expect(await fixture.run('read_file', { path: 'late.bin' })).toMatchObject({
    error: { kind: 'binary_file' },
  });
});

test('what is not a file is refused without waiting for it', async () => {
  using fixture = new Fixture();
  mkdirSync(fixture.path('dir'));
  execFileSync('mkfifo', [fixture.path('pipe')]);
  symlinkSync('/dev/zero', fixture.path('zero'));
  const server = createServer().listen(fixture.path('sock'));
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    expect(
      await Promise.all(
        ['dir', 'pipe', 'sock', 'zero', 'missing'].map((path) => fixture.say('read_file', { path })),
      ),
    ).toEqual([
      'is_directory: dir is a folder. Use list_files to look inside.',
      'not_a_file: pipe is a named pipe, not a file with text.',
      'not_a_file: sock is a socket, not a file with text.',
      `outside_workspace: zero is outside the workspace. Use a path below ${fixture.root}.`,
      'not_found: missing does not exist. Use list_files to see what is there.',
    ]);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test('of a file of several gigabytes only what is needed is read', async () => {
  using fixture = new Fixture();
  const head = 'line\n'.repeat(20_000);
  writeFileSync(fixture.path('huge.log'), head);
  truncateSync(fixture.path('huge.log'), 5 * 1_024 ** 3);
  writeFileSync(fixture.path('sparse.bin'), '');
  truncateSync(fixture.path('sparse.bin'), 5 * 1_024 ** 3);
  expect(await fixture.say('read_file', { path: 'huge.log', end_line: 2 })).toBe(
    '[huge.log: lines 1-2 of a file of 5.0 GiB.]\nline\nline\n',
  );
  expect(await fixture.say('read_file', { path: 'sparse.bin' })).toBe(
    'binary_file: sparse.bin is not text: binary data, 5.0 GiB. Use run_command with a program for it.',
  );
});

test('a line too far into a file is refused with what to do instead', async () => {
  using fixture = new Fixture({ limits: { readScanBytes: 100_000 } });
  fixture.write('a.log', 'x\n'.repeat(200_000));
  expect(await fixture.say('read_file', { path: 'a.log', start_line: 150_000 })).toBe(
    'too_large: a.log has 390.6 KiB, and the lines asked for are not within its first 97.7 KiB. ' +
      'Use run_command (sed, tail) instead.',
  );
});

test('a stopped read says that it was stopped', async () => {
  using fixture = new Fixture();
  fixture.write('a.txt', 'a');
  const context = stoppedContext();
  expect(await fixture.run('read_file', { path: 'a.txt' }, context)).toMatchObject({
    kind: 'failure',
    error: { kind: 'cancelled' },
  });
});
