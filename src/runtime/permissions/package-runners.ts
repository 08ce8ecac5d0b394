import { hasOrigin, literalText, type Word } from './shell-word.ts';
import { NOTHING, runsScript, SOMEWHERE, UNKNOWN, type Unwrapped } from './unwrapped.ts';
import { afterOptions, type Options } from './wrapper-options.ts';

/** Programs that run a program of a package by its name, or a script with that program within reach. */

const LONG_FLAGS = ['yes', 'no', 'offline', 'prefer-offline', 'quiet', 'silent', 'verbose', 'global', 'bun'];
const LONG_VALUES = ['prefix', 'dir', 'cwd', 'registry', 'loglevel', 'cache', 'userconfig'];

const NPX: Options = {
  flags: 'yq',
  values: 'pc',
  longFlags: LONG_FLAGS,
  longValues: [...LONG_VALUES, 'package', 'call'],
};

/** Letters that mean the same to all of them. */
const MANAGERS: Options = { flags: 'qsdg', values: 'C', longFlags: LONG_FLAGS, longValues: LONG_VALUES };

/** `npx tool`, `npx -c script`. */
export function runByNpx(words: readonly Word[]): Unwrapped {
  const parsed = afterOptions(words, NPX);
  if (parsed === null) return SOMEWHERE;
  const script = parsed.values.has('c') ? parsed.values.get('c') : parsed.values.get('call');
  if (script === null) return UNKNOWN;
  if (script !== undefined) return runsScript(script, false);
  return parsed.rest.length === 0 ? NOTHING : { kind: 'file', words: parsed.rest };
}

/** The command, and what may be left of its name. */
const EXEC = /^(?:x|ex|exe|exec|dlx)$/;

/** `npm exec`. Everything else that these programs do says its name. */
export function runByPackageManager(words: readonly Word[]): Unwrapped {
  const parsed = afterOptions(words, MANAGERS);
  const [command, ...rest] = parsed?.rest ?? [];
  if (command !== undefined) return EXEC.test(literalText(command) ?? '') ? runByNpx(rest) : NOTHING;
  const mayExec = words.some((word) => hasOrigin(word, 'shell') || EXEC.test(literalText(word) ?? ''));
  return mayExec ? SOMEWHERE : NOTHING;
}
