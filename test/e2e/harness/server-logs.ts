import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';

const TAIL_LINES = 40;

/** The logs that explain a failure; the workbench writes many more. */
const TELLING = /(remoteagent|remoteexthost)\.log$|ledgerline.*\.log$/i;

export async function collectLogs(options: { dataDir: string; serverLog: string }): Promise<string> {
  const folder = path.join(options.dataDir, 'data', 'logs');
  const names = (await readdir(folder, { recursive: true })).filter((name) => TELLING.test(name)).sort();
  const files = [options.serverLog, ...names.map((name) => path.join(folder, name))];
  const parts = await Promise.all(files.map(tail));
  return parts.filter((part) => part !== '').join('\n');
}

async function tail(file: string): Promise<string> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  return lines.length === 0 ? '' : `--- ${file}\n${lines.slice(-TAIL_LINES).join('\n')}`;
}
