import { isErrorCode } from '../../../src/dev/cache-lock.mjs';
import { capture } from '../../../src/dev/subprocess.mjs';

/** Whether a process of this group still runs. One that has ended may stay in the table until it is reaped. */
export async function isGroupRunning(group: number): Promise<boolean> {
  const { output } = await capture({ command: 'ps', args: ['-A', '-o', 'pgid=,stat='] });
  return output.split('\n').some((line) => {
    const [id, state = 'Z'] = line.trim().split(/\s+/);
    return Number(id) === group && !state.startsWith('Z');
  });
}

/** For a command that a test had started and that may have outlived it. */
export async function endGroup(group: number): Promise<void> {
  if (await isGroupRunning(group)) endProcess(-group);
}

/** Ends a process, or a group by its negative number, that may be gone since it was seen. */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!isErrorCode(error, 'ESRCH')) throw error;
  }
}
