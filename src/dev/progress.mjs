// @ts-check
// Progress goes to stderr, so that stdout carries nothing but results (`bench --json`, the closing count).

const HEARTBEAT_MS = 10_000;

/** A failure the person at the terminal can act on: shown as one line, without a stack. */
export class SetupError extends Error {
  /** @override */
  name = 'SetupError';
}

/** @param {string} line */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** @param {number} ms */
export function seconds(ms) {
  return ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

/**
 * Runs one long step, saying that it began, every ten seconds that it goes on, and how long it took.
 * @template T
 * @param {string} title
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(title, work) {
  const started = performance.now();
  say(`${title} ...`);
  const heartbeat = setInterval(() => {
    say(`${title} ... ${seconds(performance.now() - started)}`);
  }, HEARTBEAT_MS);
  try {
    const result = await work();
    say(`${title}: done in ${seconds(performance.now() - started)}`);
    return result;
  } finally {
    clearInterval(heartbeat);
  }
}

/**
 * The outermost frame of every script: a set-up problem is one line, a bug keeps its stack.
 * @param {() => Promise<number>} main resolves to the exit code
 */
export async function runMain(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    say(
      error instanceof SetupError
        ? `error: ${error.message}`
        : String(error instanceof Error ? error.stack : error),
    );
    process.exitCode = 1;
  }
}
