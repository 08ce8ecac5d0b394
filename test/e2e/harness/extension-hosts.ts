import { capture } from '../../../src/dev/subprocess.mjs';
import { endProcess } from './process-groups.ts';

type Process = { pid: number; parent: number; command: string };

/** Ends the extension hosts that this server started, and no others. */
export async function killExtensionHosts(serverPid: number): Promise<void> {
  const hosts = await extensionHosts(serverPid);
  if (hosts.length === 0) throw new Error('no extension host is running');
  for (const pid of hosts) endProcess(pid);
}

export async function extensionHosts(serverPid: number): Promise<readonly number[]> {
  const { output } = await capture({ command: 'ps', args: ['-A', '-o', 'pid=,ppid=,args='] });
  return extensionHostsBelow({ serverPid, processes: parseProcesses(output) });
}

function parseProcesses(output: string): Process[] {
  return output.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    return match === null
      ? []
      : [{ pid: Number(match[1]), parent: Number(match[2]), command: match[3] ?? '' }];
  });
}

function extensionHostsBelow(options: { serverPid: number; processes: readonly Process[] }): number[] {
  const family = new Set([options.serverPid]);
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const each of options.processes) if (family.has(each.parent)) family.add(each.pid);
  }
  return options.processes
    .filter((each) => family.has(each.pid) && each.command.includes('--type=extensionHost'))
    .map((each) => each.pid);
}
