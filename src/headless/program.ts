import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { sessionPaths } from '../storage/session-paths.ts';
import { parseCommand, USAGE, type Command } from './arguments.ts';
import type { Terminal } from './terminal.ts';

const BAD_USAGE = 64;

/** The second presenter: a program on stdin and stdout instead of a person in a view. Answers with its exit code. */
export async function program(args: readonly string[], terminal: Terminal): Promise<number> {
  const parsed = parseCommand(args);
  if (!parsed.ok) {
    terminal.stderr.write(`ledgerline: ${parsed.message}\n\n${USAGE}\n`);
    return BAD_USAGE;
  }
  return carryOut(parsed.command, terminal);
}

async function carryOut(command: Command, terminal: Terminal): Promise<number> {
  switch (command.kind) {
    case 'help':
      terminal.stdout.write(`${USAGE}\n`);
      return 0;
    case 'converse': {
      const { converse } = await import('./converse.ts');
      return converse(command, terminal);
    }
    case 'diagnose':
    case 'replay': {
      if (isMissing(command, terminal)) return BAD_USAGE;
      const { inspect } = await import('./inspect-command.ts');
      return inspect(command, terminal);
    }
    case 'compact': {
      if (isMissing(command, terminal)) return BAD_USAGE;
      const { compact } = await import('./compact-command.ts');
      return compact(command, terminal);
    }
  }
}

/** These are about a session that is there. */
function isMissing(
  { storage, session_id }: { readonly storage: string; readonly session_id: string },
  { stderr }: Terminal,
): boolean {
  if (existsSync(sessionPaths(resolve(storage), session_id).log)) return false;
  stderr.write(`ledgerline: there is no session ${session_id} in ${resolve(storage)}\n`);
  return true;
}
