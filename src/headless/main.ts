import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { sessionPaths } from '../storage/session-paths.ts';
import { parseCommand, USAGE, type Command } from './arguments.ts';

const BAD_USAGE = 64;

/** The second presenter: a program on stdin and stdout instead of a person in a view. */
async function main(): Promise<number> {
  const parsed = parseCommand(process.argv.slice(2));
  if (!parsed.ok) {
    process.stderr.write(`ledgerline: ${parsed.message}\n\n${USAGE}\n`);
    return BAD_USAGE;
  }
  return carryOut(parsed.command);
}

async function carryOut(command: Command): Promise<number> {
  switch (command.kind) {
    case 'help':
      process.stdout.write(`${USAGE}\n`);
      return 0;
    case 'converse': {
      const { converse } = await import('./converse.ts');
      return converse(command);
    }
    case 'diagnose':
    case 'replay': {
      if (isMissing(command)) return BAD_USAGE;
      const { inspect } = await import('./inspect-command.ts');
      return inspect(command);
    }
    case 'compact': {
      if (isMissing(command)) return BAD_USAGE;
      const { compact } = await import('./compact-command.ts');
      return compact(command);
    }
  }
}

/** These are about a session that is there. */
function isMissing({
  storage,
  session_id,
}: {
  readonly storage: string;
  readonly session_id: string;
}): boolean {
  if (existsSync(sessionPaths(resolve(storage), session_id).log)) return false;
  process.stderr.write(`ledgerline: there is no session ${session_id} in ${resolve(storage)}\n`);
  return true;
}

/** Leaves once everything written has been taken: a pipe may still be full. */
function leave(code: number): void {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}

main().then(leave, (error: unknown) => {
  process.stderr.write(
    `ledgerline: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  leave(1);
});
