import { parseArgs } from 'node:util';
import { isSettingName, parseSettings, type ParsedSettings, type Settings } from '../app/settings.ts';
import { unreadableRules } from '../runtime/permissions/rules.ts';
import { isSessionId } from '../storage/session-paths.ts';

export type Command =
  | {
      readonly kind: 'converse';
      readonly workspace: string;
      readonly storage: string;
      readonly session_id: string | null;
      readonly once: string | null;
      readonly settings: Settings;
    }
  | { readonly kind: 'diagnose'; readonly storage: string; readonly session_id: string }
  | {
      readonly kind: 'replay';
      readonly storage: string;
      readonly session_id: string;
      readonly at: number | null;
    }
  | {
      readonly kind: 'compact';
      readonly storage: string;
      readonly session_id: string;
      readonly dry_run: boolean;
      readonly workspace: string | null;
      readonly settings: Settings;
    }
  | { readonly kind: 'help' };

export type ParsedCommand =
  | { readonly ok: true; readonly command: Command }
  | { readonly ok: false; readonly message: string };

export const USAGE = `Usage:
  node headless.js --workspace DIR --storage DIR [--session ID] [--once TEXT] [--set key=value]...
  node headless.js diagnose --storage DIR --session ID
  node headless.js replay --storage DIR --session ID [--at SEQ]
  node headless.js compact [--dry-run] --storage DIR --session ID [--set key=value]...

Speaks the presenter protocol as JSON lines on stdin and stdout; logs go to stderr.
--set takes a setting without its "ledgerline." prefix, for example --set provider=offline.
The API key comes from OPENAI_API_KEY.

With --once it runs one turn and exits: 0 completed, 2 partial_failed, 3 failed, 4 interrupted,
5 timed_out, 6 waiting; 64 is bad usage.`;

/** Pure: the command line, understood, or one message that says what is wrong with it. */
export function parseCommand(argv: readonly string[]): ParsedCommand {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(argv);
  } catch (error) {
    return bad(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals, tokens } = parsed;
  if (values.help === true) return { ok: true, command: { kind: 'help' } };
  const [name, ...rest] = positionals;
  if (rest.length > 0) return bad(`unexpected argument: ${rest[0]}`);
  const misplaced = misplacedOption(
    name ?? 'converse',
    tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : [])),
  );
  if (misplaced !== null) return bad(misplaced);
  if (values.storage === undefined || values.storage === '') return bad('--storage DIR is missing');
  if (values.session !== undefined && !isSessionId(values.session)) {
    return bad('--session takes letters, digits, "-" and "_", at most 128, starting with a letter or digit');
  }
  const { storage, session = null } = values;
  if (name === undefined) return converse(values, storage, session);
  if (session === null) return bad(`${name} needs --session ID`);
  switch (name) {
    case 'diagnose':
      return { ok: true, command: { kind: name, storage, session_id: session } };
    case 'replay':
      return replay(storage, session, values.at);
    case 'compact':
      return compact(values, storage, session);
    default:
      return bad(`unknown command: ${name}`);
  }
}

function parse(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    allowPositionals: true,
    tokens: true,
    options: {
      workspace: { type: 'string' },
      storage: { type: 'string' },
      session: { type: 'string' },
      once: { type: 'string' },
      set: { type: 'string', multiple: true },
      at: { type: 'string' },
      'dry-run': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
}

/** Where a session is and how it is set may be said to every command, so that one line serves for all. */
const COMMON = ['workspace', 'storage', 'session', 'set'];

/** The options that each command heeds. Those that only look do so without effect, as `--dry-run` wants it. */
const HEEDED: Readonly<Record<string, readonly string[]>> = {
  converse: [...COMMON, 'once'],
  diagnose: [...COMMON, 'dry-run'],
  replay: [...COMMON, 'dry-run', 'at'],
  compact: [...COMMON, 'dry-run'],
};

/** An option that would be ignored, or of which only the last would count; null when there is none. */
function misplacedOption(command: string, given: readonly string[]): string | null {
  const heeded = Object.hasOwn(HEEDED, command) ? HEEDED[command] : undefined;
  if (heeded === undefined) return null;
  const strange = given.find((name) => !heeded.includes(name));
  if (strange !== undefined) {
    const users = Object.keys(HEEDED).filter((name) => HEEDED[name]?.includes(strange) === true);
    return `--${strange} is only for ${users.map((name) => COMMAND_WORDS[name] ?? name).join(', ')}`;
  }
  const twice = given.find((name, index) => name !== 'set' && given.indexOf(name) < index);
  return twice === undefined ? null : `--${twice} is given more than once`;
}

const COMMAND_WORDS: Readonly<Record<string, string>> = { converse: 'a conversation' };

function converse(
  values: ReturnType<typeof parse>['values'],
  storage: string,
  session_id: string | null,
): ParsedCommand {
  const { workspace, once = null } = values;
  if (workspace === undefined || workspace === '') return bad('--workspace DIR is missing');
  if (once !== null && once.trim() === '') return bad('--once needs a text');
  const settings = parseSets(values.set ?? []);
  if (!settings.ok) return bad(settings.problems.join('\n'));
  return {
    ok: true,
    command: { kind: 'converse', workspace, storage, session_id, once, settings: settings.settings },
  };
}

function compact(
  values: ReturnType<typeof parse>['values'],
  storage: string,
  session_id: string,
): ParsedCommand {
  const { workspace = null, 'dry-run': dry_run = false } = values;
  const settings = parseSets(values.set ?? []);
  if (!settings.ok) return bad(settings.problems.join('\n'));
  return {
    ok: true,
    command: { kind: 'compact', storage, session_id, dry_run, workspace, settings: settings.settings },
  };
}

function replay(storage: string, session_id: string, at: string | undefined): ParsedCommand {
  if (at === undefined) return { ok: true, command: { kind: 'replay', storage, session_id, at: null } };
  const seq = Number(at);
  if (!Number.isSafeInteger(seq) || seq < 0) return bad('--at takes the seq of an event');
  return { ok: true, command: { kind: 'replay', storage, session_id, at: seq } };
}

/** Values are JSON, or else text; where the JSON does not fit the setting, the text may. */
export function parseSets(sets: readonly string[]): ParsedSettings {
  const values: Record<string, unknown> = {};
  for (const set of sets) {
    const at = set.indexOf('=');
    const key = at < 0 ? set : set.slice(0, at);
    if (at < 0) return { ok: false, problems: [`--set ${set} has no "=": write --set key=value`] };
    if (!isSettingName(key)) return { ok: false, problems: [`unknown setting: ${key}`] };
    const text = set.slice(at + 1);
    const json = asJson(text);
    values[key] = json !== undefined && parseSettings({ [key]: json }).ok ? json : text;
  }
  const parsed = parseSettings(values);
  if (!parsed.ok) return parsed;
  const unreadable = unreadableRules(parsed.settings.permissions);
  if (unreadable.length === 0) return parsed;
  const problems = unreadable.map(
    ({ text, list, message }) => `permissions.${list}: ${JSON.stringify(text)}: ${message}`,
  );
  return { ok: false, problems };
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function bad(message: string): ParsedCommand {
  return { ok: false, message };
}
