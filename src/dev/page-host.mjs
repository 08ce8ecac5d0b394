// @ts-check
import { PROJECT, projectPath } from './project.mjs';

/** The extension in one file, without VS Code: pages are tried and looked at with it. */
export const PAGE_HOST = projectPath('dist', 'page', 'host.cjs');

/** @returns {import('esbuild').BuildOptions} */
export function pageHostBundle() {
  return {
    absWorkingDir: PROJECT,
    entryPoints: [projectPath('src', 'extension.ts')],
    outfile: PAGE_HOST,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    external: ['vscode'],
    mainFields: ['module', 'main'],
    sourcemap: 'linked',
    logLevel: 'warning',
  };
}

export async function buildPageHost() {
  const { build } = await import('esbuild');
  await build(pageHostBundle());
}
