// @ts-check
// npm run bench [-- --json]
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { REQUIRE_BANNER } from './bundle-options.mjs';
import { buildBundles } from './bundles.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { ensureNode } from './node.mjs';
import { SetupError, runMain } from './progress.mjs';
import { PROJECT, projectPath } from './project.mjs';
import { passThrough } from './subprocess.mjs';

await runMain(async () => {
  await ensureNode();
  await ensureDependencies();
  const entry = projectPath('test', 'bench', 'main.ts');
  if (!existsSync(entry)) throw new SetupError('there is no benchmark: test/bench/main.ts does not exist.');
  await buildBundles({ mode: 'production' });
  // Inside the project, so that what is not bundled is still found in node_modules.
  const folder = await mkdtemp(projectPath('dist', 'bench-'));
  try {
    const { build } = await import('esbuild');
    const outfile = path.join(folder, 'main.mjs');
    await build({
      absWorkingDir: PROJECT,
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node24',
      external: ['vscode'],
      mainFields: ['module', 'main'],
      banner: { js: REQUIRE_BANNER },
      sourcemap: 'inline',
      logLevel: 'warning',
    });
    return await passThrough({
      command: process.execPath,
      args: ['--expose-gc', '--enable-source-maps', outfile, ...process.argv.slice(2)],
      cwd: PROJECT,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
