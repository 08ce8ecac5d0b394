import type { NamedPath, Split } from './command-part.ts';
import { possibleDenialOf } from './possible-denials.ts';
import { isProtectedPath, sameFile } from './path-rules.ts';
import { couldBeNamed, FILES, isOpen, saysNothing, UNKNOWN } from './possible-names.ts';

/** Why a command is asked in every mode, and the path in it that is the reason. */
export interface AskedPath {
  readonly policy: 'protected_path' | 'secret_path' | 'storage_path';
  readonly path: string;
}

/** What directs agents and editors may be read, but not changed; secrets, version control and our logs neither. */
export function askedPath(split: Split, storage: readonly string[]): AskedPath | null {
  if (split.kind === 'unparsed') return null;
  const paths = split.parts.flatMap((part) => part.paths);
  return (
    found('protected_path', paths, ({ path, use }) => use === 'write' && mayDirect(namesOf(path))) ??
    found('secret_path', paths, ({ path, use }) => isSecretPath(namesOf(path), use)) ??
    found('storage_path', paths, ({ path }) => storage.some((place) => isInside(path, place)))
  );
}

function found(
  policy: AskedPath['policy'],
  paths: readonly NamedPath[],
  isMeant: (one: NamedPath) => boolean,
): AskedPath | null {
  const one = paths.find(isMeant);
  return one === undefined ? null : { policy, path: one.path };
}

/** Without names that lead nowhere, as at the end of `AGENTS.md/.` */
function namesOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

/** All files of the first folder are meant by a star alone, and what directs agents is usually there. */
function mayDirect(names: readonly string[]): boolean {
  const isAll = names.at(-1)?.includes(FILES) === true && names.every(saysNothing);
  return isAll || isProtectedPath(names.join('/'));
}

/** To look at the folder of version control itself tells no secret, nor what names there are that fit. */
function isSecretPath(names: readonly string[], use: NamedPath['use']): boolean {
  if (use === 'look' && names.some(isOpen)) return false;
  const denial = possibleDenialOf(names);
  if (denial !== 'version_control' || use !== 'look') return denial !== undefined;
  return possibleDenialOf(names.slice(0, -1)) === 'version_control';
}

/** Of a path that is whole, or begins with something that may be: `$HOME/x`. */
function isInside(path: string, place: string): boolean {
  if (!path.startsWith(UNKNOWN) && !/^(?:[/~]|[a-z]:\/)/i.test(path)) return false;
  const [names, above] = [stepped(namesOf(sameFile(path))), namesOf(sameFile(place))];
  const isThere = (name: string, at: number): boolean => {
    const given = names[at] ?? '';
    const isOnTheWay = at < above.length - 1 && given !== '' && saysNothing(given);
    return isOnTheWay || couldBeNamed(given, name);
  };
  return above.length > 1 && above.every(isThere);
}

function stepped(names: readonly string[]): readonly string[] {
  const left: string[] = [];
  for (const name of names) {
    if (name === '..') left.pop();
    else left.push(name);
  }
  return left;
}
