import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The one stand-in of VS Code that all tests of the host share: it is the same object in each of them. */
const SHARED =
  /vi\.mock\('vscode', async \(\) => \(await import\('\.\/vscode-double\.ts'\)\)\.vscodeDouble\);/gu;

/** True for the text of a test that replaces a module, or loads modules anew, for the files after it too. */
export function replacesModules(text: string): boolean {
  return /\bvi\.(?:do)?(?:mock|unmock)\(|\bvi\.resetModules\(/iu.test(text.replaceAll(SHARED, ''));
}

/** The tests among these that need a process of their own; all others share the modules they have loaded. */
export function filesThatReplaceModules(root: string, pattern: string): readonly string[] {
  return globSync(pattern, { cwd: root })
    .filter((path) => replacesModules(readFileSync(join(root, path), 'utf8')))
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted();
}
