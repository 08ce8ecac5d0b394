import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const workspaces: string[] = [];

/** A folder with a short file of two lines, and more where they are given. */
export async function newWorkspace(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-workspace-'));
  workspaces.push(folder);
  for (const [name, text] of Object.entries({ 'notes.txt': 'first line\nsecond line\n', ...files })) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return folder;
}

export async function removeWorkspaces(): Promise<void> {
  for (const folder of workspaces.splice(0)) await rm(folder, { recursive: true, force: true });
}
