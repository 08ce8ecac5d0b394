import type { NamedPath, Split } from './command-part.ts';
import { denialOf } from './denied-paths.ts';
import { isProtectedPath } from './path-rules.ts';

/** Why a command is asked in every mode, and the path in it that is the reason. */
export interface AskedPath {
  readonly policy: 'protected_path' | 'secret_path';
  readonly path: string;
}

/** What directs agents and editors may be read, but not changed; secrets and version control neither. */
export function askedPath(split: Split): AskedPath | null {
  if (split.kind === 'unparsed') return null;
  const paths = split.parts.flatMap((part) => part.paths);
  return (
    found('protected_path', paths, ({ path, use }) => use === 'write' && isProtectedPath(cleaned(path))) ??
    found('secret_path', paths, ({ path }) => isSecretPath(cleaned(path)))
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
function cleaned(path: string): string {
  return path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/');
}

/** The folder of version control itself is no secret, only what is in it. */
function isSecretPath(path: string): boolean {
  const names = path.split('/');
  const denial = denialOf(names);
  if (denial !== 'version_control') return denial !== undefined;
  return denialOf(names.slice(0, -1)) === 'version_control';
}
