import {
  denialOf,
  INTERNALS,
  plainName,
  SECRET_BEGINNINGS,
  SECRET_ENDINGS,
  SECRET_IN_FOLDER,
  SECRET_NAMES,
  type Denial,
} from './denied-paths.ts';
import { couldBegin, couldBeNamed, couldEnd, isOpen, saysNothing } from './possible-names.ts';

/** As they are found, for names that are open in the middle. */
const NAMES: readonly string[] = [
  ...SECRET_NAMES,
  '.env.development',
  '.env.local',
  '.env.production',
  '.env.test',
];

/** What is denied of a path in a command, of which a part may be open until it runs: what it could be counts. */
export function possibleDenialOf(segments: readonly string[]): Exclude<Denial, 'storage'> | undefined {
  if (!segments.some(isOpen)) return denialOf(segments);
  const names = segments.map(plainName);
  for (const [at, name] of names.entries()) {
    const denial = isOpen(name) ? undefined : denialOf([name]);
    if (denial !== undefined) return denial;
    // A secret first: to look at the folder of version control itself is nothing.
    if (mayBeSecret(name) || mayHoldSecret(name, names[at + 1])) return 'secret';
    if ([...INTERNALS].some((one) => couldBeNamed(name, one))) return 'version_control';
  }
  return undefined;
}

function mayBeSecret(name: string): boolean {
  return (
    isOpen(name) &&
    (NAMES.some((one) => couldBeNamed(name, one)) ||
      SECRET_ENDINGS.some((ending) => couldEnd(name, ending)) ||
      ['.env', ...SECRET_BEGINNINGS].some((beginning) => couldBegin(name, beginning)))
  );
}

function mayHoldSecret(name: string, next = ''): boolean {
  return [...SECRET_IN_FOLDER].some(
    ([folder, inside]) =>
      couldBeNamed(name, folder) &&
      (inside === '*' || couldBeNamed(next, inside) || (next !== '' && saysNothing(next))),
  );
}
