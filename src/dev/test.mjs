// @ts-check
// npm test [-- check|unit|simulation|page|e2e [filter ...]]
import { ensureNode } from './node.mjs';
import { SetupError, runMain, say } from './progress.mjs';
import { BESIDE, PARTS, PLANS, REQUIRES } from './test-parts.mjs';
import { summarise } from './test-report.mjs';

/** @typedef {import('./test-report.mjs').PartResult} PartResult */

const started = performance.now();

/** @type {PartResult[]} */
const results = [];

/**
 * A part that throws has failed once; those after it still run.
 * @param {{name: string, run: () => Promise<import('./test-report.mjs').Counts>}} options
 */
async function runPart({ name, run }) {
  const began = performance.now();
  const broken = results.find((result) => result.failed > 0 && REQUIRES[name]?.includes(result.name));
  if (broken !== undefined) {
    say(`--- ${name}: not run, because ${broken.name} failed`);
    results.push({ name, passed: 0, failed: 1, ms: 0 });
    return;
  }
  say(`--- ${name}`);
  try {
    results.push({ name, ...(await run()), ms: performance.now() - began });
  } catch (error) {
    say(
      `error: ${error instanceof SetupError ? error.message : String(error instanceof Error ? error.stack : error)}`,
    );
    results.push({ name, passed: 0, failed: 1, ms: performance.now() - began });
  }
}

await runMain(async () => {
  const [plan = 'all', ...filters] = process.argv.slice(2);
  const names = PLANS[plan];
  if (names === undefined)
    throw new SetupError(`unknown part ${plan}: one of ${Object.keys(PLANS).join(', ')}.`);
  await ensureNode();
  /** @type {Promise<void>[]} */
  const beside = [];
  for (const name of names) {
    const part = PARTS[name];
    if (part === undefined) continue;
    const running = runPart({ name, run: () => part(filters) });
    if (BESIDE.includes(name)) beside.push(running);
    else await running;
  }
  await Promise.all(beside);
  const parts = results.toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
  const { lines, exitCode } = summarise({ parts, ms: performance.now() - started });
  process.stdout.write(`\n${lines.join('\n')}\n`);
  return exitCode;
});
