import { couldBegin, couldBeNamed, couldEnd, saysNothing } from './possible-names.ts';

/**
 * Paths that no tool reads, lists, searches or writes: version control internals (a changed hook runs code)
 * and files whose purpose is to hold a secret. Decided from names alone, case and platform aside, because a
 * repository made on one system is opened on another. In a command, a part of a name may be open until it runs:
 * then it counts what the name could be.
 */

const SECRET_NAMES: readonly string[] = [
  '.git-credentials',
  '.htpasswd',
  '.netrc',
  '.npmrc',
  '.pgpass',
  '.pypirc',
  '_netrc',
];

const SECRET_ENDINGS: readonly string[] = [
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

const SECRET_BEGINNINGS: readonly string[] = ['id_dsa', 'id_ecdsa', 'id_ed25519', 'id_rsa'];

/** As they are found, for names that are open in the middle. */
const USUAL_NAMES: readonly string[] = [
  ...SECRET_NAMES,
  '.env.development',
  '.env.local',
  '.env.production',
  '.env.test',
];

/** Files inside a folder of that name. `*` stands for everything below it. */
const FOLDERS: readonly (readonly [folder: string, inside: string])[] = [
  ['.aws', 'credentials'],
  ['.docker', 'config.json'],
  ['.gnupg', '*'],
  ['.kube', 'config'],
  ['.ssh', '*'],
];

const INTERNALS: readonly string[] = ['.git', '.hg', '.svn'];

/** Characters that some file systems ignore in names, so that `.g<U+200C>it` is `.git` there. */
const IGNORABLE = /[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** The most forgiving reading of a name that any file system would apply. */
function plainName(segment: string): string {
  if (/^[\w.-]*[\w-]$/.test(segment)) return segment.toLowerCase();
  return segment
    .normalize('NFKC')
    .replace(IGNORABLE, '')
    .toLowerCase()
    .replace(/[. ]+$/, '');
}

function isInternal(name: string): boolean {
  // GIT~1 is the short name that Windows gives to `.git`.
  return INTERNALS.some((one) => couldBeNamed(name, one)) || /^git~\d+$/.test(name);
}

function isSecretName(name: string): boolean {
  if (couldBegin(name, '.env')) return !/\.(?:example|sample|template)$/.test(name);
  return (
    USUAL_NAMES.some((one) => couldBeNamed(name, one)) ||
    SECRET_ENDINGS.some((ending) => couldEnd(name, ending)) ||
    SECRET_BEGINNINGS.some((beginning) => couldBegin(name, beginning))
  );
}

function holds(inside: string, name: string | undefined): boolean {
  if (inside === '*') return true;
  return name !== undefined && (saysNothing(name) || couldBeNamed(name, inside));
}

export type Denial = 'version_control' | 'secret' | 'storage';

/** Why a path (its segments below the workspace folder) is denied, or undefined when it is not. */
export function denialOf(segments: readonly string[]): Exclude<Denial, 'storage'> | undefined {
  const names = segments.map(plainName);
  for (const [at, name] of names.entries()) {
    if (isInternal(name)) return 'version_control';
    if (isSecretName(name)) return 'secret';
    if (FOLDERS.some(([folder, inside]) => couldBeNamed(name, folder) && holds(inside, names[at + 1])))
      return 'secret';
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
