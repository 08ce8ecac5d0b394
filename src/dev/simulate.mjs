// @ts-check
// npm run simulate [-- --seeds N] [filter ...]: properties, models and simulated sessions, with N times the cases
import { ensureDependencies } from './dependencies.mjs';
import { ensureNode } from './node.mjs';
import { runMain, say, SetupError } from './progress.mjs';
import { PROJECT, projectPath } from './project.mjs';
import { parseSearchOptions, searchFiles } from './search-options.mjs';
import { passThrough } from './subprocess.mjs';

await runMain(async () => {
  const { seeds, filters } = parseSearchOptions(process.argv.slice(2));
  const files = searchFiles({ root: PROJECT, filters });
  if (files.length === 0)
    throw new SetupError(`no test that searches has ${filters.join(' or ')} in its path.`);
  await ensureNode();
  await ensureDependencies();
  say(`Searching ${files.length} files, ${seeds} times as long as npm test does.`);
  return passThrough({
    command: process.execPath,
    args: [
      projectPath('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      `--config=${projectPath('test', 'vitest.config.ts')}`,
      '--project=unit',
      '--project=unit-isolated',
      '--project=simulation',
      ...files,
    ],
    cwd: PROJECT,
    env: { ...process.env, LEDGERLINE_SEEDS: String(seeds) },
  });
});
