// @ts-check
import { spawn } from 'node:child_process';
import { SetupError, say } from './progress.mjs';
import { VSIX } from './project.mjs';
import { hasDisplay } from './start-options.mjs';
import { writeDesktopSettings } from './start-folder.mjs';

/** Whether desktop VS Code is here and can show a window. */
export async function hasDesktopVsCode() {
  if (!hasDisplay({ platform: process.platform, env: process.env })) return false;
  // In a terminal of a remote window `code` talks to that window and takes no folders of its own.
  if (process.env['VSCODE_IPC_HOOK_CLI'] !== undefined) return false;
  return (await runCode({ args: ['--version'], show: false })) === 0;
}

/** @param {import('./start-folder.mjs').StartFolder} folder */
export async function startDesktop({ workspace, dataDir, extensionsDir }) {
  await writeDesktopSettings(dataDir);
  const own = [`--user-data-dir=${dataDir}`, `--extensions-dir=${extensionsDir}`];
  if ((await runCode({ args: [...own, '--install-extension', VSIX, '--force'], show: true })) !== 0) {
    throw new SetupError('code could not install the extension; `npm start -- --web` does without it.');
  }
  const code = await runCode({
    args: [...own, '--disable-workspace-trust', '--new-window', workspace],
    show: true,
  });
  if (code === 0) say('VS Code is open: click the Ledgerline icon in the bar on the left.');
  return code;
}

/**
 * @param {{args: readonly string[], show: boolean}} options
 * @returns {Promise<number>}
 */
function runCode({ args, show }) {
  // On Windows `code` is a batch file, which only a shell starts; none of the arguments is from outside.
  const isWindows = process.platform === 'win32';
  return new Promise((resolve) => {
    const child = spawn('code', isWindows ? args.map((arg) => `"${arg}"`) : args, {
      stdio: ['ignore', show ? 'inherit' : 'ignore', show ? 'inherit' : 'ignore'],
      shell: isWindows,
    });
    child.once('error', () => resolve(127));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
