import { homedir } from 'node:os';
import { program } from './program.ts';
import type { Terminal } from './terminal.ts';

const terminal: Terminal = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  home: homedir(),
  onSignal: (signal, listener) => void process.on(signal, listener),
};

/** Leaves once everything written has been taken: a pipe may still be full. */
function leave(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

program(process.argv.slice(2), terminal).then(leave, (error: unknown) => {
  process.stderr.write(
    `ledgerline: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  leave(1);
});
