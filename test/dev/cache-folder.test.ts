import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cacheFolder, provision } from '../../src/dev/cache-folder.mjs';

let cache: string;
beforeEach(async () => {
  cache = await mkdtemp(path.join(tmpdir(), 'ledgerline-cache-'));
});
afterEach(async () => {
  await rm(cache, { recursive: true, force: true });
});

function maker(content: string): { make: (folder: string) => Promise<void>; made: () => number } {
  let count = 0;
  return {
    make: async (folder) => {
      count += 1;
      await writeFile(path.join(folder, 'content'), content);
    },
    made: () => count,
  };
}

test('a folder is made once and used from then on', async () => {
  const { make, made } = maker('tool');
  const folder = await provision({ name: 'tool-1', make, cache });
  expect(await provision({ name: 'tool-1', make, cache })).toBe(folder);
  expect(await readFile(path.join(folder, 'content'), 'utf8')).toBe('tool');
  expect(made()).toBe(1);
  expect(await readdir(cache)).toEqual(['tool-1']);
});

test('two that want the same folder at once make it once', async () => {
  const { make, made } = maker('tool');
  await Promise.all([provision({ name: 'tool-1', make, cache }), provision({ name: 'tool-1', make, cache })]);
  expect(made()).toBe(1);
  expect(await readdir(cache)).toEqual(['tool-1']);
});

test('a failed attempt leaves nothing behind and can be repeated', async () => {
  const fails = provision({
    name: 'tool-1',
    make: () => Promise.reject(new Error('no network')),
    cache,
  });
  await expect(fails).rejects.toThrow('no network');
  expect(await readdir(cache)).toEqual([]);
  await provision({ name: 'tool-1', make: maker('tool').make, cache });
  expect(await readdir(cache)).toEqual(['tool-1']);
});

test('what a dead process left half made is removed and never used', async () => {
  const dead = spawn(process.execPath, ['-e', '']);
  await once(dead, 'exit');
  await mkdir(path.join(cache, 'tool-1.making-abc'));
  await writeFile(path.join(cache, 'tool-1.making-abc', 'content'), 'half');
  const owner = { token: 'abc', pid: dead.pid, host: hostname() };
  await writeFile(path.join(cache, 'tool-1.lock'), JSON.stringify(owner));
  const folder = await provision({ name: 'tool-1', make: maker('whole').make, cache });
  expect(await readFile(path.join(folder, 'content'), 'utf8')).toBe('whole');
  expect(await readdir(cache)).toEqual(['tool-1']);
});

test('the cache is where each platform keeps such things', () => {
  const home = '/home/ada';
  expect(cacheFolder({ platform: 'linux', env: {}, home })).toBe('/home/ada/.cache/ledgerline');
  expect(cacheFolder({ platform: 'linux', env: { XDG_CACHE_HOME: '/var/c' }, home })).toBe(
    '/var/c/ledgerline',
  );
  expect(cacheFolder({ platform: 'linux', env: { XDG_CACHE_HOME: 'relative' }, home })).toBe(
    '/home/ada/.cache/ledgerline',
  );
  expect(cacheFolder({ platform: 'win32', env: { LOCALAPPDATA: 'C:\\Local' }, home })).toBe(
    'C:\\Local\\ledgerline',
  );
});
