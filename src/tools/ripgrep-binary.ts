import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { pathsOf, type Platform } from './path-syntax.ts';
import { systemCode } from './tool-faults.ts';

export interface RipgrepPlace {
  /** VS Code's own folder (`vscode.env.appRoot`). */
  readonly appRoot?: string;
  /** A file beside which a packaged ripgrep may be installed. Default: this program. */
  readonly beside?: string;
}

export interface Machine {
  readonly platform: Platform;
  readonly arch: string;
}

/** Where VS Code has kept ripgrep, newest layout first. 1.122 moved to one package for all platforms. */
export function editorCandidates(appRoot: string, { platform, arch }: Machine): readonly string[] {
  const binary = platform === 'win32' ? 'rg.exe' : 'rg';
  const packages = [
    ['@vscode', 'ripgrep-universal', 'bin', `${platform}-${arch}`],
    ['@vscode', `ripgrep-${platform}-${arch}`, 'bin'],
    ['@vscode', 'ripgrep', 'bin'],
    ['vscode-ripgrep', 'bin'],
  ];
  // A packaged editor keeps programs outside its archive, where alone they can be started.
  return ['node_modules.asar.unpacked', 'node_modules'].flatMap((folder) =>
    packages.map((parts) => pathsOf(platform).join(appRoot, folder, ...parts, binary)),
  );
}

/** The ripgrep to run, or undefined when there is none and the plain search has to do. */
export async function findRipgrep(place: RipgrepPlace, machine: Machine): Promise<string | undefined> {
  const candidates = [
    ...(place.appRoot === undefined ? [] : editorCandidates(place.appRoot, machine)),
    ...packagedCandidate(place.beside, machine),
  ];
  for (const candidate of candidates) {
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

function packagedCandidate(beside: string | undefined, { platform, arch }: Machine): readonly string[] {
  const from = beside ?? process.argv[1];
  if (from === undefined) return [];
  const binary = platform === 'win32' ? 'rg.exe' : 'rg';
  try {
    const load = createRequire(pathToFileURL(from));
    return [load.resolve(`@vscode/ripgrep-${platform}-${arch}/bin/${binary}`)];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return [];
    throw error;
  }
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}
