/**
 * Paths that no tool reads, lists, searches or writes: version control internals (a changed hook runs code)
 * and files whose purpose is to hold a secret. Decided from names alone, case and platform aside, because a
 * repository made on one system is opened on another.
 */

export const SECRET_NAMES: ReadonlySet<string> = new Set([
  '.git-credentials',
  '.htpasswd',
  '.netrc',
  '.npmrc',
  '.pgpass',
  '.pypirc',
  '_netrc',
]);

export const SECRET_ENDINGS: readonly string[] = [
  '.jks',
  '.kdbx',
  '.key',
  '.keystore',
  '.p12',
  '.p8',
  '.pem',
  '.pfx',
  '.ppk',
];

export const SECRET_BEGINNINGS: readonly string[] = ['id_dsa', 'id_ecdsa', 'id_ed25519', 'id_rsa'];

/** Files inside a folder of that name. `*` stands for everything below it. */
export const SECRET_IN_FOLDER: ReadonlyMap<string, string> = new Map([
  ['.aws', 'credentials'],
  ['.docker', 'config.json'],
  ['.gnupg', '*'],
  ['.kube', 'config'],
  ['.ssh', '*'],
]);

export const INTERNALS: ReadonlySet<string> = new Set(['.git', '.hg', '.svn']);

/** Characters that some file systems ignore in names, so that `.g<U+200C>it` is `.git` there. */
const IGNORABLE = /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** The most forgiving reading of a name that any file system would apply. */
export function plainName(segment: string): string {
  if (/^[\w.-]*[\w-]$/.test(segment)) return segment.toLowerCase();
  const name = segment.normalize('NFKC').replace(IGNORABLE, '').toLowerCase();
  let end = name.length;
  while (name[end - 1] === '.' || name[end - 1] === ' ') end -= 1;
  return name.slice(0, end);
}

function isInternal(name: string): boolean {
  // GIT~1 is the short name that Windows gives to `.git`.
  return INTERNALS.has(name) || /^git~\d+$/.test(name);
}

function isSecretName(name: string): boolean {
  if (name.startsWith('.env')) return !/\.(?:example|sample|template)$/.test(name);
  return (
    SECRET_NAMES.has(name) ||
    SECRET_ENDINGS.some((ending) => name.endsWith(ending)) ||
    SECRET_BEGINNINGS.some((beginning) => name.startsWith(beginning))
  );
}

export type Denial = 'version_control' | 'secret' | 'storage';

/** Why a path (its segments below the workspace folder) is denied, or undefined when it is not. */
export function denialOf(segments: readonly string[]): Exclude<Denial, 'storage'> | undefined {
  const names = segments.map(plainName);
  for (const [at, name] of names.entries()) {
    if (isInternal(name)) return 'version_control';
    if (isSecretName(name)) return 'secret';
    const inside = SECRET_IN_FOLDER.get(name);
    if (inside === '*' || (inside !== undefined && names[at + 1] === inside)) return 'secret';
  }
  return undefined;
}

export function explainDenial(path: string, denial: Denial): string {
  switch (denial) {
    case 'version_control':
      return `${path} is inside version control. Use run_command with git instead.`;
    case 'secret':
      return `${path} may hold secrets, so tools do not touch it. Ask the user for what you need from it.`;
    case 'storage':
      return `${path} is Ledgerline's own storage, which tools do not touch.`;
  }
}
