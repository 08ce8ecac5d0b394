import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { provision } from '../../../src/dev/cache-folder.mjs';
import { isErrorCode } from '../../../src/dev/cache-lock.mjs';
import { VSIX, projectPath } from '../../../src/dev/project.mjs';
import { installExtension } from '../../../src/dev/vscode-process.mjs';
import type { VsCodeServer } from '../../../src/dev/vscode-server.mjs';

/** Installed copies, one per content of the package, so that each launch only copies a small folder. */
const INSTALLED = projectPath('dist', 'installed');

/** Makes `extensionsDir` hold the packaged extension, as VS Code itself installs it. */
export async function copyInstalledExtension(options: {
  server: VsCodeServer;
  extensionsDir: string;
}): Promise<void> {
  const hash = createHash('sha256')
    .update(await readVsix())
    .digest('hex')
    .slice(0, 16);
  const installed = await provision({
    name: hash,
    cache: INSTALLED,
    make: async (folder) => {
      await removeOthers(path.basename(folder));
      await install({ server: options.server, folder });
    },
  });
  await cp(installed, options.extensionsDir, { recursive: true });
}

async function readVsix(): Promise<Buffer> {
  try {
    return await readFile(VSIX);
  } catch (error) {
    if (!isErrorCode(error, 'ENOENT')) throw error;
    throw new Error('dist/ledgerline.vsix is missing: run `npm run package` or `npm test -- e2e`', {
      cause: error,
    });
  }
}

async function install({ server, folder }: { server: VsCodeServer; folder: string }): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'ledgerline-install-'));
  try {
    await installExtension({ server, vsix: VSIX, extensionsDir: folder, dataDir });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function removeOthers(making: string): Promise<void> {
  await mkdir(INSTALLED, { recursive: true });
  const own = making.split('.')[0] ?? making;
  const others = (await readdir(INSTALLED)).filter((name) => !name.startsWith(own));
  for (const name of others) await rm(path.join(INSTALLED, name), { recursive: true, force: true });
}
