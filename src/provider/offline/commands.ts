import { PROVIDER_ERRORS, type ProviderErrorKind } from '../../runtime/provider-errors.ts';
import { unreachable } from '../../runtime/unreachable.ts';
import type { Stages } from './workflow-script.ts';

/** Commands of one round of calls, which can also be made together. */
export type SimpleCommand =
  | { readonly kind: 'read'; readonly paths: readonly string[] }
  | { readonly kind: 'list'; readonly glob: string | null }
  | { readonly kind: 'search'; readonly pattern: string }
  | { readonly kind: 'view'; readonly image: string }
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'edit'; readonly path: string; readonly old_text: string; readonly new_text: string }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'ask'; readonly question: string };

/** What the offline model understands. Everything else is answered with this list. */
export type Command =
  | SimpleCommand
  | { readonly kind: 'help' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'usage'; readonly of: string }
  | { readonly kind: 'all'; readonly commands: readonly SimpleCommand[] }
  | { readonly kind: 'fix' }
  | { readonly kind: 'skill'; readonly name: string }
  | { readonly kind: 'plan'; readonly steps: readonly string[] }
  | { readonly kind: 'agent'; readonly tasks: readonly string[] }
  | { readonly kind: 'workflow'; readonly stages: Stages }
  | { readonly kind: 'hold'; readonly question: string }
  | { readonly kind: 'think'; readonly about: string }
  | { readonly kind: 'fail'; readonly error: ProviderErrorKind; readonly after_output: boolean }
  | { readonly kind: 'cut' }
  | { readonly kind: 'slow' };

export const USAGE: Readonly<Record<string, string>> = {
  help: 'help — this list',
  read: 'read <path> — reads a file',
  parallel: 'parallel <path> <path> ... — reads files in one round',
  list: 'list [glob] — lists files',
  search: 'search <text> — searches the workspace',
  view: 'view [reference] — looks at an image of this session again; without a reference, at the last one that a checkpoint names',
  write: 'write <path>: <content> — writes a file',
  edit: 'edit <path>: <old> => <new> — replaces text in a file',
  run: 'run <command> — runs a command',
  all: 'all <command>; <command>; ... — makes the calls of read, list, search, view, write, edit, run and ask commands in one round',
  fix: 'fix — finds a `BUG: ... instead of ...` comment, fixes the line below it and runs `npm test`',
  plan: 'plan [<step>; <step> ...] — shows a plan and ticks it off step by step',
  skill: 'skill <name> — activates a skill and says what it tells',
  ask: 'ask <question> — asks you something',
  agent: 'agent <task>[; <task> ...] — gives tasks to subagents and waits for them',
  workflow:
    'workflow <task>[; <task> ...] [then <task> ...] — runs tasks as a workflow, one stage after the other',
  hold: 'hold <question> — as the task of a workflow: its step holds until you answer',
  think: 'think [about something] — shows reasoning',
  slow: 'slow — a long and slow answer, to try Stop',
  cut: 'cut — an answer that breaks off',
  fail: 'fail [error kind] — a failed answer; with a kind such as rate_limited, also its retries',
};

/** The tool that a command is made of; without it, it is not listed. */
export const NEEDED_TOOL: Readonly<Record<string, string>> = {
  read: 'read_file',
  parallel: 'read_file',
  list: 'list_files',
  search: 'search_text',
  view: 'view_image',
  write: 'write_file',
  edit: 'edit_file',
  run: 'run_command',
  all: 'read_file',
  fix: 'run_command',
  plan: 'update_plan',
  skill: 'activate_skill',
  ask: 'ask_user',
  agent: 'spawn_agent',
  workflow: 'run_workflow',
  hold: 'run_workflow',
};

const GREETINGS: ReadonlySet<string> = new Set(['', 'help', '?', 'hello', 'hi', 'hey', 'hallo']);

export function parseCommand(text: string): Command {
  const trimmed = text.trim();
  const [, word = '', rest = ''] = /^(\S*)\s*([\s\S]*)$/u.exec(trimmed) ?? [];
  const name = word.toLowerCase().replace(/[!.,:]+$/u, '');
  if (GREETINGS.has(name)) return { kind: 'help' };
  switch (name) {
    case 'read':
      return rest === '' ? { kind: 'usage', of: name } : { kind: 'read', paths: [unquoted(rest)] };
    case 'parallel': {
      const paths = rest.match(/"[^"]+"|\S+/gu)?.map(unquoted) ?? [];
      return paths.length < 2 ? { kind: 'usage', of: name } : { kind: 'read', paths: paths.slice(0, 8) };
    }
    case 'list':
      return { kind: 'list', glob: rest === '' ? null : unquoted(rest) };
    case 'search':
      return rest === '' ? { kind: 'usage', of: name } : { kind: 'search', pattern: unquoted(rest) };
    case 'view':
      return { kind: 'view', image: unquoted(rest) };
    case 'look':
      return /^again\b/iu.test(rest)
        ? { kind: 'view', image: unquoted(rest.replace(/^again[.!]?\s*/iu, '')) }
        : { kind: 'usage', of: 'view' };
    case 'write': {
      const [, path, content] = /^(.+?):(?:\s([\s\S]*))?$/u.exec(rest) ?? [];
      return path === undefined
        ? { kind: 'usage', of: name }
        : { kind: 'write', path: unquoted(path), content: content ?? '' };
    }
    case 'edit': {
      const [, path, old_text, new_text] = /^(.+?):\s([\s\S]+?)\s=>(?:\s([\s\S]*))?$/u.exec(rest) ?? [];
      return path === undefined || old_text === undefined
        ? { kind: 'usage', of: name }
        : { kind: 'edit', path: unquoted(path), old_text, new_text: new_text ?? '' };
    }
    case 'run':
      return rest === '' ? { kind: 'usage', of: name } : { kind: 'run', command: rest };
    case 'all':
      return parseAll(rest);
    case 'fix':
      return { kind: 'fix' };
    case 'plan':
      return { kind: 'plan', steps: partsOf(rest).slice(0, 8) };
    case 'skill':
      return rest === '' ? { kind: 'usage', of: name } : { kind: 'skill', name: unquoted(rest) };
    case 'ask':
      return rest === '' ? { kind: 'usage', of: name } : { kind: 'ask', question: rest };
    case 'agent':
    case 'agents': {
      const tasks = partsOf(rest);
      return tasks.length === 0
        ? { kind: 'usage', of: 'agent' }
        : { kind: 'agent', tasks: tasks.slice(0, 8) };
    }
    case 'workflow':
      return {
        kind: 'workflow',
        stages: rest
          .split(/\sthen\s/iu)
          .map(partsOf)
          .filter((tasks) => tasks.length > 0),
      };
    case 'hold':
      return rest === '' ? { kind: 'usage', of: name } : { kind: 'hold', question: rest };
    case 'think':
      return { kind: 'think', about: rest.replace(/^about\s+/iu, '') };
    case 'fail':
      if (rest === '') return { kind: 'fail', error: 'server_error', after_output: true };
      return isErrorKind(rest)
        ? { kind: 'fail', error: rest, after_output: false }
        : { kind: 'usage', of: name };
    case 'cut':
      return { kind: 'cut' };
    case 'slow':
      return { kind: 'slow' };
    default:
      return { kind: 'unknown' };
  }
}

/** A semicolon separates only where a command follows: code and shell lines are full of others. */
const SEPARATOR = new RegExp(`;\\s*(?=(?:${Object.keys(USAGE).join('|')})(?:[\\s;]|$))`, 'iu');

function parseAll(rest: string): Command {
  const commands: SimpleCommand[] = [];
  for (const part of rest.split(SEPARATOR)) {
    const command = parseCommand(part);
    switch (command.kind) {
      case 'read':
      case 'list':
      case 'search':
      case 'view':
      case 'write':
      case 'edit':
      case 'run':
      case 'ask':
        commands.push(command);
        break;
      case 'usage':
        return command;
      case 'help':
      case 'unknown':
      case 'all':
      case 'fix':
      case 'skill':
      case 'plan':
      case 'agent':
      case 'workflow':
      case 'hold':
      case 'think':
      case 'fail':
      case 'cut':
      case 'slow':
        return { kind: 'usage', of: 'all' };
      default:
        return unreachable(command);
    }
  }
  return { kind: 'all', commands };
}

function partsOf(rest: string): readonly string[] {
  return rest
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function isErrorKind(name: string): name is ProviderErrorKind {
  return Object.hasOwn(PROVIDER_ERRORS, name);
}

function unquoted(text: string): string {
  const trimmed = text.trim();
  return /^(["'`])[\s\S]+\1$/u.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}
