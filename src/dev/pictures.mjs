// @ts-check
// npm run pictures: takes the screenshots of the README anew, in the real VS Code
import { runMain } from './progress.mjs';
import { PROJECT, projectPath } from './project.mjs';
import { passThrough } from './subprocess.mjs';

await runMain(() =>
  passThrough({
    command: process.execPath,
    args: [projectPath('src', 'dev', 'test.mjs'), 'e2e', 'first-window'],
    cwd: PROJECT,
    env: { ...process.env, LEDGERLINE_README_SHOTS: '1' },
  }),
);
