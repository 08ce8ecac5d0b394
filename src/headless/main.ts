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
    case 'replay':
    case 'compact': {
      const { inspect } = await import('./inspect-command.ts');
      return inspect(command);
    }
  }
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
