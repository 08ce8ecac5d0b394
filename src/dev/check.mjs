// @ts-check
// npm run check
import { describeCheck, runChecks } from './checks.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { runMain } from './progress.mjs';

await runMain(async () => {
  await ensureDependencies();
  const results = await runChecks();
  for (const result of results) process.stdout.write(`${describeCheck(result)}\n`);
  return results.every((result) => result.ok) ? 0 : 1;
});
