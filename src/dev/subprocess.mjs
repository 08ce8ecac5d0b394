// @ts-check
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { SetupError } from './progress.mjs';

const TAIL_LINES = 30;

const waitForChild = () => {};

/**
 * @typedef {object} Command
 * @property {string} command
 * @property {readonly string[]} [args]
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 */

/** @typedef {{code: number, output: string}} Outcome */

/**
 * Lets the others have the processor first.
 * @param {number | undefined} pid
 */
function yieldTo(pid) {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch (error) {
    // Some systems forbid it, and a process may be gone already: it runs as any other then.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
  }
}

/**
 * Runs a program to its end and keeps what it printed. A program that cannot be started is an outcome too
 * (code 127), as a shell reports it. In the background it leaves the processor to whatever else wants it.
 * @param {Command & {onOutput?: (text: string) => void, background?: boolean}} options
 * @returns {Promise<Outcome>}
 */
export function capture({ command, args = [], cwd, env = process.env, onOutput, background = false }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    if (background) yieldTo(child.pid);
    let output = '';
    /** @param {Buffer} chunk */
    const keep = (chunk) => {
      const text = chunk.toString();
      output += text;
      onOutput?.(text);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => resolve({ code: 127, output: `${output}${error.message}\n` }));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/**
 * As `capture`, but a failure ends the set-up with the last lines of what the program said.
 * @param {Command & {what: string}} options
 * @returns {Promise<string>}
 */
export async function captureOrFail({ what, ...command }) {
  const { code, output } = await capture(command);
  if (code !== 0) {
    const tail = output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
    throw new SetupError(`${what} failed (exit ${code}).\n${tail}`);
  }
  return output;
}

/**
 * Runs a program on this terminal. It gets no standard input unless asked for: a test run has none.
 * @param {Command & {stdin?: 'ignore' | 'inherit'}} options
 * @returns {Promise<number>}
 */
export function passThrough({ command, args = [], cwd, env = process.env, stdin = 'ignore' }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: [stdin, 'inherit', 'inherit'] });
    // Ctrl+C reaches the whole foreground group; the child decides how to end and this process reports it.
    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => void child.kill(signal);
    process.on('SIGINT', waitForChild);
    process.on('SIGTERM', forward);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('SIGINT', waitForChild);
      process.off('SIGTERM', forward);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1));
    });
  });
}
