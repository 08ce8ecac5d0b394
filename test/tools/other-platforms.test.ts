import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Fixture, RecordingContext, swappingFixture } from './tool-fixture.ts';

/** What macOS does instead of Linux's /proc runs on Linux as well, so it is tested here. */

test('files are read, written and edited without /proc', async () => {
  using fixture = new Fixture({ platform: 'darwin' });
  fixture.write('Src/A.txt', 'one\n');
  symlinkSync('Src/A.txt', fixture.path('link'));
  expect(await fixture.say('read_file', { path: 'link' })).toBe('one\n');
  expect(await fixture.say('edit_file', { path: 'link', old_text: 'one', new_text: 'two' })).toBe(
    'Changed Src/A.txt: 1 replacement, +1 -1 lines.\n@@ line 1 @@\n-one\n+two',
  );
  expect(await fixture.say('write_file', { path: 'new/deep/b.txt', content: 'x' })).toBe(
    'Created new/deep/b.txt: +1 -0 lines.',
  );
  expect(fixture.names('new/deep')).toEqual(['b.txt']);
  expect(fixture.prepare('write_file', { path: 'Src/A.txt', content: '' }).writes).toEqual([
    fixture.path('Src/A.txt').toLowerCase(),
  ]);
});

test('a folder swapped for a link while a file is written is noticed without /proc', async () => {
  using fixture = swappingFixture({ platform: 'darwin' });
  expect(await fixture.run('write_file', { path: 'dir/a.txt', content: 'new' })).toMatchObject({
    error: { kind: 'file_changed' },
  });
  expect(readFileSync(join(fixture.outside, 'a.txt'), 'utf8')).toBe('theirs');
  expect(fixture.names('moved')).toEqual(['a.txt']);
});

test('a tree of processes is found with ps and ended whole', async () => {
  using fixture = new Fixture({ platform: 'darwin', limits: { commandGraceMs: 300 } });
  const context = new RecordingContext();
  const command =
    'setsid bash -c \'trap "" TERM; echo $$ > pid.new; mv pid.new pid; while :; do sleep 1; done\' & wait';
  const running = fixture.run('run_command', { command }, context);
  await expect.poll(() => existsSync(fixture.path('pid'))).toBe(true);
  context.abort();
  expect(await running).toMatchObject({ error: { kind: 'cancelled' } });
  const stat = `/proc/${fixture.read('pid').trim()}/stat`;
  expect(existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, 'utf8'))).toBe(false);
});
