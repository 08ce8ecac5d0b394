// @ts-check
// npm run package
import { buildBundles } from './bundles.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { ensureNode } from './node.mjs';
import { runMain, say } from './progress.mjs';
import { PROJECT } from './project.mjs';
import path from 'node:path';
import { packageVsix } from './vsix.mjs';

await runMain(async () => {
  // vsce needs a newer Node than the extension itself.
  await ensureNode();
  await ensureDependencies();
  await buildBundles({ mode: 'production' });
  const { file, bytes } = await packageVsix();
  say(`Packaged ${path.relative(PROJECT, file)}: ${Math.round(bytes / 1024)} KiB`);
  return 0;
});
