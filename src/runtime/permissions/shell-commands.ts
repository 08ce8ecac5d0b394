import type { Word } from './shell-word.ts';

/** What a script consists of, flat: who contains whom does not matter to rules. */
export type ShellCommand = SimpleCommand | Construct;

export interface SimpleCommand {
  readonly kind: 'simple';
  readonly assignments: readonly Word[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** Whether it reads what another command writes. */
  readonly piped: boolean;
}

/** Does something itself besides the commands in it: sets a variable, picks a branch, writes to a file. */
export interface Construct {
  readonly kind: 'construct';
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

export interface Redirect {
  /** With the number in front of it, if any. */
  readonly operator: string;
  readonly target: Word;
  readonly direction: Direction;
}

/** `copy`: between descriptors that are open already. `text`: what is read is part of the command line. */
export type Direction = 'in' | 'out' | 'copy' | 'text';
