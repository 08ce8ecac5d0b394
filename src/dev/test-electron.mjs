// @ts-check
// npm run test:electron: a small suite inside desktop VS Code, where there is one or one can be fetched
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildBundles } from './bundles.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { ensureNode } from './node.mjs';
import { runMain, say, SetupError } from './progress.mjs';
import { projectPath } from './project.mjs';
import { hasDisplay } from './start-options.mjs';
import { vsCodeVersion } from './vscode-server.mjs';
import { packageVsix } from './vsix.mjs';

const SUITE = projectPath('dist', 'electron', 'suite.cjs');

const VERSION = vsCodeVersion('oldest');

await runMain(async () => {
  await ensureNode();
  if (!hasDisplay({ platform: process.platform, env: process.env }))
    throw new SetupError('desktop VS Code needs a display and there is none; `npm test` does without it.');
  await ensureDependencies();
  const vscodeExecutablePath = await desktopVsCode();
  await buildBundles({ mode: 'production' });
  // The folder that is packed has the words of the manifest where VS Code looks for them.
  await packageVsix();
  await buildSuite();
  const folder = await mkdtemp(path.join(tmpdir(), 'ledgerline-electron-'));
  try {
    const { runTests } = await import('@vscode/test-electron');
    const code = await runTests({
      vscodeExecutablePath,
      extensionDevelopmentPath: projectPath('dist', 'package'),
      extensionTestsPath: SUITE,
      launchArgs: [
        folder,
        '--disable-extensions',
        '--disable-workspace-trust',
        '--user-data-dir',
        path.join(folder, 'data'),
      ],
    });
    say(code === 0 ? 'The suite passed in desktop VS Code.' : `The suite failed (exit ${code}).`);
    return code;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

async function desktopVsCode() {
  const { downloadAndUnzipVSCode } = await import('@vscode/test-electron');
  try {
    return await downloadAndUnzipVSCode({ version: VERSION, cachePath: projectPath('dist', 'vscode-test') });
  } catch (error) {
    throw new SetupError(`desktop VS Code ${VERSION} cannot be fetched here (${String(error)}).`, {
      cause: error,
    });
  }
}

async function buildSuite() {
  const esbuild = await import('esbuild');
  await esbuild.build({
    entryPoints: [projectPath('test', 'electron', 'suite.ts')],
    outfile: SUITE,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
    logLevel: 'warning',
  });
}
