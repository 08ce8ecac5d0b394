import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { VsCode } from '../../e2e/harness/vscode.ts';
import { storeIn } from '../place.ts';
import { benchSession, type BenchSession } from '../rounds.ts';

const ITEMS = 10_000;

/** Makes the session that the window had last a long one. No extension host may be running. */
export async function makeLong(vscode: VsCode): Promise<void> {
  const session = await onlySession(vscode);
  while (session.events() < ITEMS) await session.turn(40);
  await session.close();
}

/** The same, by turns that have nothing but this answer. */
export async function grown(
  vscode: VsCode,
  { turns, answer }: { readonly turns: number; readonly answer: string },
): Promise<void> {
  const session = await onlySession(vscode);
  for (let made = 0; made < turns; made += 1) await session.turn(0, answer);
  await session.close();
}

async function onlySession(vscode: VsCode): Promise<BenchSession> {
  const storage = await vscode.storageDir();
  const logs = (await readdir(join(storage, 'sessions'))).filter((name) => name.endsWith('.jsonl'));
  const [log] = logs;
  if (log === undefined || logs.length > 1) throw new Error(`one log was expected, not ${logs.length}`);
  return benchSession(storeIn(storage), log.replace(/\.jsonl$/, ''));
}
