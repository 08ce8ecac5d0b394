import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * One folder for all that the tests of a run write, in memory where that can be had: every event of every session is
 * synced before anything goes on, and a disk takes milliseconds for each. Goes with the run, and whatever is left in it.
 */

/** Where Linux keeps files in memory. Containers have little of it, or run nothing from there. */
const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 ** 30;
const VARIABLES = ['TMPDIR', 'TMP', 'TEMP'];
const DISK = 'LEDGERLINE_TEST_DISK';

/** For what has to be on a disk: there a sync takes its time, and a kill finds it at work. */
export function folderOfDisk(): string {
  return process.env[DISK] ?? tmpdir();
}

export default function setup(): (() => Promise<void>) | undefined {
  if (process.env[DISK] !== undefined) return undefined;
  const disk = tmpdir();
  const scratch = inMemory() ?? mkdtempSync(join(disk, 'ledgerline-tests-'));
  const before = VARIABLES.map((name) => [name, process.env[name]] as const);
  process.env[DISK] = disk;
  for (const name of VARIABLES) process.env[name] = scratch;
  return async () => {
    for (const [name, value] of [...before, [DISK, undefined] as const]) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await rm(scratch, { recursive: true, force: true });
  };
}

function inMemory(): string | null {
  if (process.platform !== 'linux') return null;
  let folder: string | null = null;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < ENOUGH_BYTES) return null;
    folder = mkdtempSync(join(MEMORY, 'ledgerline-tests-'));
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n');
    chmodSync(program, 0o755);
    if (spawnSync(program).status === 0) return folder;
  } catch {
    // No such folder, or not for us: the disk will do.
  }
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
  return null;
}
