// @ts-check
// npm run bench [-- --json] [-- vscode]
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { REQUIRE_BANNER, TOOL_CHAIN_APART } from './bundle-options.mjs';
import { buildBundles } from './bundles.mjs';
import { ensureChromium } from './chromium.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { ensureNode } from './node.mjs';
import { SetupError, runMain } from './progress.mjs';
import { PROJECT, projectPath } from './project.mjs';
import { passThrough } from './subprocess.mjs';
import { ensureVsCodeServer } from './vscode-server.mjs';
import { packageVsix } from './vsix.mjs';

await runMain(async () => {
  await ensureNode();
  await ensureDependencies();
  const entry = projectPath('test', 'bench', 'main.ts');
  if (!existsSync(entry)) throw new SetupError('there is no benchmark: test/bench/main.ts does not exist.');
  await buildBundles({ mode: 'production' });
  const only = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
  if (only.length === 0 || only.includes('vscode') || only.includes('crew')) {
    await Promise.all([ensureVsCodeServer(), ensureChromium()]);
    await packageVsix();
  }
  // Inside the project, so that what is not bundled is still found in node_modules.
  const folder = await mkdtemp(projectPath('dist', 'bench-'));
  try {
    const { build } = await import('esbuild');
    await build({
      absWorkingDir: PROJECT,
      // What is measured in a process of its own loads nothing else.
      entryPoints: {
        main: entry,
        'children-part': projectPath('test', 'bench', 'children', 'part.ts'),
        'search-part': projectPath('test', 'bench', 'search-part.ts'),
      },
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node24',
      external: ['vscode', 'playwright-core'],
      plugins: [TOOL_CHAIN_APART],
      mainFields: ['module', 'main'],
      banner: { js: REQUIRE_BANNER },
      sourcemap: true,
      logLevel: 'warning',
    });
    return await passThrough({
      command: process.execPath,
      args: ['--expose-gc', '--enable-source-maps', path.join(folder, 'main.mjs'), ...process.argv.slice(2)],
      cwd: PROJECT,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
