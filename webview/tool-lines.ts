import { openDecision, type CallEntry } from './call-entry.ts';
import { duration } from './durations.ts';
import { isRecord, numberIn, own, stringIn } from './fields.ts';
import { t } from './l10n.ts';
import { decisionKind, refusalOf, type DecisionKind } from './verdicts.ts';
import { visibleText } from './visible-text.ts';

interface ToolWords {
  readonly verb: string;
  /** The arguments that say what the call is about, the most telling first. */
  readonly subjects: readonly string[];
}

const TOOLS: Readonly<Record<string, ToolWords>> = {
  read_file: { verb: 'Read', subjects: ['path'] },
  list_files: { verb: 'List', subjects: ['path', 'glob'] },
  search_text: { verb: 'Search', subjects: ['pattern'] },
  view_image: { verb: 'Look', subjects: ['image'] },
  write_file: { verb: 'Write', subjects: ['path'] },
  edit_file: { verb: 'Edit', subjects: ['path'] },
  run_command: { verb: 'Run', subjects: ['command'] },
  ask_user: { verb: 'Ask', subjects: ['question'] },
  update_plan: { verb: 'Plan', subjects: [] },
  activate_skill: { verb: 'Skill', subjects: ['name'] },
  spawn_agent: { verb: 'Agent', subjects: ['task'] },
  wait_agent: { verb: 'Wait', subjects: [] },
  send_input: { verb: 'Tell', subjects: ['text'] },
  close_agent: { verb: 'Close', subjects: ['reason', 'id'] },
  list_agents: { verb: 'Agents', subjects: [] },
  run_workflow: { verb: 'Workflow', subjects: [] },
  report_checkpoint: { verb: 'Report', subjects: ['summary'] },
};

export interface ToolLine {
  readonly verb: string;
  /** Of a path, the folder with its last separator; otherwise empty. */
  readonly folder: string;
  /** The name of the file, or else what the call is about. */
  readonly subject: string;
  /** What is known of its end, in a word or two. */
  readonly outcome: string;
  readonly tone: 'quiet' | 'red' | 'yellow' | 'plain';
  readonly duration: string;
}

/** With `over`, its turn has ended: what has no result by now gets none. */
export function toolLine(call: CallEntry, { over } = { over: false }): ToolLine {
  const words = own(TOOLS, call.name);
  const subject =
    call.name === 'run_workflow' ? workflowOf(call.args) : subjectOf(call.args, words?.subjects ?? []);
  return {
    verb: words === undefined ? call.name : t(words.verb),
    ...(words?.subjects[0] === 'path' ? splitPath(subject) : { folder: '', subject }),
    ...(over && isUnfinished(call) ? { outcome: t('no result'), tone: 'quiet' } : outcomeOf(call)),
    duration: call.result === null || call.result.duration_ms === 0 ? '' : duration(call.result.duration_ms),
  };
}

function isUnfinished({ result, state }: CallEntry): boolean {
  return result === null && state !== 'cancelled';
}

function outcomeOf(call: CallEntry): Pick<ToolLine, 'outcome' | 'tone'> {
  const { state, result } = call;
  if (state === 'suspended') return waitingOutcome(call);
  const refusal = refusalOf(call);
  if (refusal !== null) return { outcome: t(refusal), tone: 'quiet' };
  if (state === 'cancelled') return { outcome: t('cancelled'), tone: 'quiet' };
  if (result === null) return { outcome: state === 'new' ? t('queued') : t(state), tone: 'plain' };
  if (result.ok) return { outcome: okWords(call, result.output), tone: 'quiet' };
  const exit = /^exit code (\d+)/.exec(result.error?.message ?? '')?.[1];
  const kind = result.error?.kind ?? 'failed';
  return { outcome: exit === undefined ? errorWords(kind) : t('exit {0}', exit), tone: 'red' };
}

const DECIDED = {
  approved: t('approved'),
  denied: t('denied'),
  answered: t('answered'),
  skipped: t('skipped'),
  marked_done: t('marked done'),
  run_again: t('run again'),
} as const satisfies Record<DecisionKind, string>;

/** Why a call failed, in a word or two; kinds that are not here are shown as the log spells them. */
const ERRORS: Readonly<Record<string, string>> = {
  binary_file: t('binary file'),
  denied_path: t('denied path'),
  exit_code: t('exit code'),
  failed: t('failed'),
  file_changed: t('file changed'),
  interrupted: t('interrupted'),
  invalid_arguments: t('invalid arguments'),
  invalid_path: t('invalid path'),
  io_error: t('io error'),
  is_directory: t('is directory'),
  left_behind: t('left behind'),
  lost_result: t('lost result'),
  many_matches: t('many matches'),
  never_started: t('never started'),
  no_match: t('no match'),
  not_a_file: t('not a file'),
  not_found: t('not found'),
  outcome_unknown: t('outcome unknown'),
  outside_workspace: t('outside workspace'),
  search_failed: t('search failed'),
  spawn_failed: t('spawn failed'),
  timeout: t('timeout'),
  too_large: t('too large'),
  unknown_tool: t('unknown tool'),
};

function errorWords(kind: string): string {
  return own(ERRORS, kind) ?? kind.replaceAll('_', ' ');
}

/** A command that a person marked as done has words of its own in the place of an exit code. */
function okWords(call: CallEntry, output: string): string {
  const exit = call.name === 'run_command' ? /^exit code (\d+)/.exec(output)?.[1] : undefined;
  return exit === undefined ? t('ok') : t('exit {0}', exit);
}

function waitingOutcome(call: CallEntry): Pick<ToolLine, 'outcome' | 'tone'> {
  const decision = openDecision(call);
  if (decision !== null) return { outcome: DECIDED[decisionKind(call, decision)], tone: 'quiet' };
  const unknown = call.suspension?.reason === 'outcome_unknown';
  return { outcome: unknown ? t('outcome unknown') : t('needs you'), tone: 'yellow' };
}

export function splitPath(path: string): Pick<ToolLine, 'folder' | 'subject'> {
  const end = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1;
  return end === path.length
    ? { folder: '', subject: path }
    : { folder: path.slice(0, end), subject: path.slice(end) };
}

function subjectOf(args: string, keys: readonly string[]): string {
  const parsed = parsedArguments(args);
  const found = keys.map((key) => parsed[key]).find((value) => typeof value === 'string' && value !== '');
  return typeof found === 'string' ? visibleText(found.split('\n', 1).join('')) : '';
}

/** A workflow is called by its name, or that of its template; one that goes on, by the card below. */
function workflowOf(args: string): string {
  const workflow = parsedArguments(args)['workflow'];
  const names = ['name', 'template', 'id'].map((key) => stringIn(workflow, key) ?? '');
  return visibleText(
    names
      .find((name) => name !== '')
      ?.split('\n', 1)
      .join('') ?? '',
  );
}

/** Arguments are the model's words and need not be JSON. */
function parsedArguments(args: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(args);
    return isRecord(value) ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** The whole command line of a call that runs one; null for other calls and for arguments that are not whole. */
export function commandOf(call: CallEntry): string | null {
  const command = call.name === 'run_command' ? parsedArguments(call.args).command : undefined;
  return typeof command === 'string' ? command : null;
}

/** The file that a call is about, and the line it begins at; null where it is about none. */
export function fileOf(call: CallEntry): { readonly path: string; readonly line: number | null } | null {
  if (!FILE_TOOLS.has(call.name)) return null;
  const args = parsedArguments(call.args);
  const path = stringIn(args, 'path') ?? '';
  return path === '' ? null : { path, line: numberIn(args, 'start_line') ?? null };
}

const FILE_TOOLS: ReadonlySet<string> = new Set(['read_file', 'write_file', 'edit_file']);

export function prettyArguments(args: string): string {
  const parsed = parsedArguments(args);
  return Object.keys(parsed).length === 0 ? args : JSON.stringify(parsed, undefined, 2);
}
