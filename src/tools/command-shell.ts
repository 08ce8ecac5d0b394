import type { Platform } from './path-syntax.ts';

/** How a command line becomes a process: which shell, with which arguments, in which environment. */

export interface ShellCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Whether a process of ours stands between the command and our end of the pipe. */
  readonly relayed: boolean;
}

export interface ShellChoice {
  readonly platform: Platform;
  /** A shell chosen by the user; must understand `-c` (POSIX) or be PowerShell (Windows). */
  readonly shell?: string | undefined;
  readonly exists: (path: string) => boolean;
}

const BASH = '/bin/bash';

/**
 * The shell is there before the command runs: it waits for a line. Its process can so be recorded first; if we
 * end before the line is sent, the pipe closes and the command never runs. POSIX shells wait on a descriptor of
 * its own: with a socket for input, which Node's pipes are, bash would read ~/.bashrc.
 */
const HOLD = 'read -r _ <&3 || exit 125';
const CLOSE = 'exec 3<&-';
const POWERSHELL_HOLD = 'if ($null -eq [Console]::In.ReadLine()) { exit 125 }';

/** The shell that runs commands, also for the rules that take command lines apart. */
export function shellFor({ platform, shell, exists }: ShellChoice): string {
  if (shell !== undefined) return shell;
  // PowerShell, not cmd: it is what VS Code's own terminal opens, what models write best on Windows, and it
  // takes a command line unchanged. powershell.exe (5.1), because it is on every Windows; pwsh is not.
  if (platform === 'win32') return 'powershell.exe';
  return exists(BASH) ? BASH : '/bin/sh';
}

export function shellCommand(command: string, choice: ShellChoice): ShellCommand {
  const shell = shellFor(choice);
  if (choice.platform === 'win32') {
    return {
      file: shell,
      args: ['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand', encodePowerShell(command)],
      relayed: false,
    };
  }
  // A command line that begins with "-" would be taken for an option.
  const line = command.startsWith('-') ? ` ${command}` : command;
  // Node's pipes are sockets, through which `> /dev/stderr` fails, and two of them lose the order of output.
  // bash can put a real pipe in between: one for both streams. `cat` outlives a polite signal, so that last
  // words arrive, and ends with the last writer. We are told its pid, so that it is not taken for something
  // that the command left behind. `exec` keeps the pid, and with it the process group.
  if (choice.exists(BASH)) {
    const relay = `exec > >(${CLOSE}; trap "" HUP INT TERM; exec cat) 2>&1; echo "$!" >&3`;
    const plumbing = `${HOLD}; ${relay}; ${CLOSE}; exec "$0" -c "$1"`;
    return { file: BASH, args: ['-c', plumbing, shell, line], relayed: true };
  }
  const plumbing = `${HOLD}; ${CLOSE}; exec "$0" -c "$1" 2>&1`;
  return { file: '/bin/sh', args: ['-c', plumbing, shell, line], relayed: false };
}

/**
 * Base64 of UTF-16 is the one form in which PowerShell gets a command line without changing its quotes. The
 * lines around it make output UTF-8 and hand on the exit code of the last program, which -Command would not.
 */
export function encodePowerShell(command: string): string {
  const script = [
    POWERSHELL_HOLD,
    "$ProgressPreference = 'SilentlyContinue'",
    '[Console]::OutputEncoding = [System.Text.UTF8Encoding]::new($false)',
    '$global:LASTEXITCODE = 0',
    command,
    'if (-not $?) { if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE } else { exit 1 } }',
    'exit $LASTEXITCODE',
  ].join('\r\n');
  return Buffer.from(script, 'utf16le').toString('base64');
}

/** Names of variables that are taken for secrets and not handed to commands, in any case. */
const SECRET_VARIABLE =
  /_(?:API|ADMIN)_?KEY$|_TOKEN$|_TOKEN_|_SECRET$|_SECRET_|SECRET_?KEY|ACCESS_?KEY|PRIVATE_?KEY|PASSWORD|PASSWD|PASSPHRASE|^(?:TOKEN|SECRET|API_?KEY)$/i;

/** Variables of VS Code's own processes: with them, Electron programs would start as plain Node. */
const EDITOR_VARIABLE = /^(?:ELECTRON_|VSCODE_)/i;

/** Nothing may wait for a terminal that is not there. */
const NEUTRAL: Readonly<Record<string, string>> = {
  GIT_EDITOR: 'true',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  MANPAGER: 'cat',
  NO_COLOR: '1',
  PAGER: 'cat',
  TERM: 'dumb',
};

export function commandEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || SECRET_VARIABLE.test(name) || EDITOR_VARIABLE.test(name)) continue;
    // Colours forced by the surroundings would only have to be removed again.
    if (name.toUpperCase() in NEUTRAL || name === 'FORCE_COLOR') continue;
    kept[name] = value;
  }
  return { ...kept, ...NEUTRAL };
}
