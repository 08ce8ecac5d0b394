import { unreachable } from '../unreachable.ts';
import type { Split } from './command-part.ts';
import { posixParts } from './posix-parts.ts';
import { powershellParts } from './powershell-parts.ts';

export type { CommandPart, Split } from './command-part.ts';

/** The shell that gets a command line; `none` for one whose command lines cannot be split. */
export type Shell = 'posix' | 'powershell' | 'none';

export function splitCommand(line: string, shell: Shell): Split {
  switch (shell) {
    case 'posix':
      return posixParts(line);
    case 'powershell':
      return powershellParts(line);
    case 'none':
      return { kind: 'unparsed', why: 'command lines of this shell are not understood' };
    default:
      return unreachable(shell);
  }
}
