import { readFile } from 'node:fs/promises';
import { until } from '../../support/browser/until.ts';

/** What the operating system and the inspector of Node say of an extension host. */

const TICKS_PER_SECOND = 100;
const KB = 1024;
const INSPECTOR = 'http://127.0.0.1:9229/json/list';

/** Processor time so far, of the program and of the system for it. */
export async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return ((user + system) * 1000) / TICKS_PER_SECOND;
}

export interface HostMemory {
  readonly resident_mb: number;
  readonly heap_mb: number;
}

/** After a collection of garbage, so that what is counted is what is held. */
export async function memoryOf(pid: number): Promise<HostMemory> {
  process.kill(pid, 'SIGUSR1');
  const url = await until({ what: `the inspector of process ${pid}`, probe: inspectorUrl });
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  try {
    // Twice: what the first frees lets the second free more.
    await ask(socket, 1, 'HeapProfiler.collectGarbage');
    await ask(socket, 2, 'HeapProfiler.collectGarbage');
    const usage = await ask(socket, 3, 'Runtime.getHeapUsage');
    return { resident_mb: await residentMb(pid), heap_mb: numberOf(usage, 'usedSize') / KB / KB };
  } finally {
    // A program that ends while somebody inspects it waits for them to go.
    const closed = new Promise((resolve) => {
      socket.addEventListener('close', resolve, { once: true });
    });
    socket.close();
    await closed;
  }
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / KB;
}

async function inspectorUrl(): Promise<string | undefined> {
  try {
    const [target] = (await (await fetch(INSPECTOR)).json()) as { webSocketDebuggerUrl: string }[];
    return target?.webSocketDebuggerUrl;
  } catch (error) {
    // Not listening yet.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

async function ask(socket: WebSocket, id: number, method: string): Promise<unknown> {
  return new Promise((resolve) => {
    const hear = ({ data }: MessageEvent<unknown>): void => {
      const answer = JSON.parse(String(data)) as { id?: number; result?: unknown };
      if (answer.id !== id) return;
      socket.removeEventListener('message', hear);
      resolve(answer.result);
    };
    socket.addEventListener('message', hear);
    socket.send(JSON.stringify({ id, method }));
  });
}

function numberOf(value: unknown, key: string): number {
  return Number((value as Record<string, unknown>)[key]);
}
