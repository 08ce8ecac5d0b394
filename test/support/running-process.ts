import { readFileSync } from 'node:fs';

/** Whether a process runs, on Linux. A zombie has ended, though it can still be signalled. */
export function isRunning(pid: number): boolean {
  if (!(pid > 0)) throw new RangeError(`${pid} is no process that a test could have started`);
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
