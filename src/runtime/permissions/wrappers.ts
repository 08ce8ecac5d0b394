import { runByNpx, runByPackageManager } from './package-runners.ts';
import { runByFind, runByShell, runByTrap, runByXargs, runsFile } from './special-wrappers.ts';
import { literalText, maySplit, type Word } from './shell-word.ts';
import { NOTHING, runsJoined, runsWords, SOMEWHERE, UNKNOWN, type Unwrapped } from './unwrapped.ts';
import { afterOptions, type Options } from './wrapper-options.ts';

/** A program that runs the words after its options. */
interface Prefix extends Options {
  /** A word between the options and the command, such as a duration. */
  readonly operand?: RegExp;
  /** Whether variables can be set in front of the command. */
  readonly assigns?: boolean;
  /** Whether it changes nothing that matters to rules: always, only without options, or never. */
  readonly transparent: 'always' | 'without_options' | 'never';
}

const PREFIXES: Readonly<Record<string, Prefix>> = {
  env: {
    flags: 'i0v',
    values: 'uC',
    longFlags: ['ignore-environment', 'null', 'debug'],
    longValues: ['unset', 'chdir'],
    lone: true,
    assigns: true,
    transparent: 'without_options',
  },
  command: { flags: 'p', transparent: 'without_options' },
  builtin: { transparent: 'never' },
  exec: { flags: 'cl', values: 'a', transparent: 'never' },
  nohup: { transparent: 'always' },
  nice: { flags: '0123456789', values: 'n', longValues: ['adjustment'], transparent: 'always' },
  time: { flags: 'pvlaq', values: 'of', transparent: 'without_options' },
  timeout: {
    flags: 'vfp',
    values: 'sk',
    longFlags: ['foreground', 'preserve-status', 'verbose'],
    longValues: ['signal', 'kill-after'],
    operand: /^\d+(?:\.\d+)?[smhd]?$/,
    transparent: 'without_options',
  },
  stdbuf: { values: 'ioe', longValues: ['input', 'output', 'error'], transparent: 'never' },
  setsid: { flags: 'cfw', longFlags: ['ctty', 'fork', 'wait'], transparent: 'never' },
  sudo: {
    flags: 'AbEHnPS',
    values: 'ugpCDhrtTUR',
    longFlags: ['askpass', 'background', 'preserve-env', 'set-home', 'non-interactive', 'stdin'],
    longValues: ['user', 'group', 'prompt', 'chdir', 'host', 'preserve-env'],
    assigns: true,
    transparent: 'never',
  },
  doas: { flags: 'nL', values: 'uCa', transparent: 'never' },
};

const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'ksh', 'mksh', 'zsh', 'rbash']);

/** These run something that their words do not tell, or change what later names mean. */
const OPAQUE = new Set([
  'at',
  'batch',
  'coreutils',
  'parallel',
  'alias',
  'hash',
  'enable',
  'fc',
  'bind',
  'complete',
  'fish',
  'csh',
  'tcsh',
  'pwsh',
  'powershell',
]);

/** These run a command that starts somewhere in their words, or that is one of them. */
const LOOSE = new Set(
  'busybox caffeinate capsh cgexec choom chpst chroot chrt compgen dbus-launch dbus-run-session eatmydata entr expect fakeroot faketime firejail flock gdb i386 ionice linux32 linux64 logsave ltrace mapfile nsenter numactl pipesz pkexec prlimit proot readarray rlwrap run-parts run0 runuser screen script sem setarch setpriv sg ssh start-stop-daemon strace su systemd-run taskset tmux toybox uclampset uname26 unbuffer unshare valgrind x86_64 xvfb-run'.split(
    ' ',
  ),
);

/** The program that starts programs, by any of its names: `ld.so`, `ld-linux-x86-64.so.2`. */
const LOADER = /^ld[\w.-]*\.so[\d.]*$/;

/** What a command runs besides itself. `base` is its name without folders, in small letters. */
export function unwrap(base: string, words: readonly Word[]): Unwrapped {
  const prefix = Object.hasOwn(PREFIXES, base) ? PREFIXES[base] : undefined;
  const rest = words.slice(1);
  if (prefix !== undefined) return runByPrefix(prefix, rest);
  if (SHELLS.has(base)) return runByShell(base, rest);
  if (OPAQUE.has(base)) return UNKNOWN;
  if (LOOSE.has(base) || LOADER.test(base)) return SOMEWHERE;
  switch (base) {
    case 'xargs':
      return runByXargs(rest);
    case 'find':
      return runByFind(rest);
    case 'fd':
    case 'fdfind':
      return rest.some(mayBeExec) ? SOMEWHERE : NOTHING;
    case 'npx':
    case 'pnpx':
    case 'bunx':
      return runByNpx(rest);
    case 'npm':
    case 'pnpm':
    case 'yarn':
    case 'bun':
      return runByPackageManager(rest);
    case 'trap':
      return runByTrap(rest);
    case 'eval':
      return runsJoined(rest[0]?.bare === '--' ? rest.slice(1) : rest);
    case 'watch':
      return runByWatch(rest);
    case '.':
    case 'source':
      return runsFile(rest);
    default:
      return NOTHING;
  }
}

function runByPrefix(prefix: Prefix, words: readonly Word[]): Unwrapped {
  // `command -v` only looks for the program.
  const [first] = words;
  if (prefix === PREFIXES['command'] && ['-v', '-V'].includes(first?.bare ?? '')) return NOTHING;
  const parsed = afterOptions(withoutAssignments(words, prefix), prefix);
  if (parsed === null) return UNKNOWN;
  const command = afterOperand(withoutAssignments(parsed.rest, prefix), prefix);
  if (command === null) return UNKNOWN;
  if (command.length === 0) return NOTHING;
  const isBare = prefix.operand === undefined ? command.length === words.length : parsed.used === 0;
  return runsWords(
    command,
    prefix.transparent === 'always' || (prefix.transparent === 'without_options' && isBare),
  );
}

/** Variables that are set in front. One that may be several words could be the command as well. */
function withoutAssignments(words: readonly Word[], { assigns = false }: Prefix): readonly Word[] {
  const first = assigns ? words.findIndex((word) => !isAssignment(word)) : 0;
  return words.slice(first < 0 ? words.length : first);
}

/** Quoted or not: these programs only look for the equals sign. */
function isAssignment(word: Word): boolean {
  const [first] = word.segments;
  return first?.kind === 'literal' && /^[^-=][^=]*=/s.test(first.text) && !maySplit(word);
}

function afterOperand(words: readonly Word[], { operand }: Prefix): readonly Word[] | null {
  if (operand === undefined) return words;
  const [first, ...rest] = words;
  return first !== undefined && operand.test(literalText(first) ?? '') ? rest : null;
}

/** `fd -x command`. */
function mayBeExec(word: Word): boolean {
  return /^(?:-[^-]*[xX]|--e)/.test(literalText(word) ?? '-x');
}

const WATCH = {
  flags: 'bcdegprtw',
  values: 'n',
  longFlags: ['beep', 'color', 'errexit', 'chgexit', 'precise', 'no-title', 'no-wrap'],
  longValues: ['interval'],
};

function runByWatch(words: readonly Word[]): Unwrapped {
  const parsed = afterOptions(words, WATCH);
  return parsed === null ? UNKNOWN : runsJoined(parsed.rest);
}
