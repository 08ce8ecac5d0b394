// @ts-check
// npm start [-- --no-open] [-- --web] [-- --port N] [-- --fresh]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildBundles } from './bundles.mjs';
import { cacheFolder } from './cache-folder.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { ensureNode } from './node.mjs';
import { runMain, step } from './progress.mjs';
import { hasDesktopVsCode, startDesktop } from './start-desktop.mjs';
import { prepareStartFolder } from './start-folder.mjs';
import { parseStartOptions } from './start-options.mjs';
import { startServer } from './start-server.mjs';
import { packageVsix } from './vsix.mjs';

await runMain(async () => {
  const options = parseStartOptions(process.argv.slice(2));
  await ensureNode();
  await ensureDependencies();
  await step('Building Ledgerline', async () => {
    await buildBundles({ mode: 'production' });
    await packageVsix();
  });
  if (options.smoke) {
    // Not the folder of a person's `npm start`, which may be running.
    const temporary = await mkdtemp(path.join(tmpdir(), 'ledgerline-smoke-'));
    try {
      return await startServer({ folder: await prepareStartFolder(temporary, options), options });
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  }
  if (!options.web && (await hasDesktopVsCode())) {
    return startDesktop(await prepareStartFolder(path.join(cacheFolder(), 'start-desktop'), options));
  }
  return startServer({
    folder: await prepareStartFolder(path.join(cacheFolder(), 'start'), options),
    options,
  });
});
