import type { LiveEntry } from '../state.ts';
import { askedBy } from '../suspension.ts';
import type { WaitingCall } from '../waiting-calls.ts';
import { isOver, type ChildQuestion, type Crew } from './crew.ts';

/** Pure: what children ask a person, in the order in which the host told of them. */
export function childrenWaiting(crew: Crew, sent: readonly string[]): readonly WaitingCall[] {
  return [...crew.live].flatMap(([subagent_id, { questions }]) =>
    questions.length === 0 || isOver(crew, subagent_id)
      ? []
      : questions.map((question) => waitingCall(crew, subagent_id, question, sent)),
  );
}

function waitingCall(
  crew: Crew,
  subagent_id: string,
  question: ChildQuestion,
  sent: readonly string[],
): WaitingCall {
  const { suspension, asked_by } = question;
  const child = crew.children.get(subagent_id);
  const agent = child?.agent ?? null;
  const roles = asked_by.map((one) => one.agent).filter((one) => one !== '');
  return {
    call: callOf(subagent_id, question),
    suspension,
    asked: askedBy(suspension.reason),
    standing: sent.includes(suspension.id) ? { kind: 'sent' } : { kind: 'open' },
    asker: {
      subagent_id,
      roles: roles.length > 0 || agent === null ? roles : [agent],
      task: child?.task ?? '',
    },
  };
}

/** As if the call were one of the parent's: its arguments are what the question has of them. */
function callOf(subagent_id: string, question: ChildQuestion): LiveEntry {
  const { call_id, name, suspension } = question;
  return {
    kind: 'call',
    seq: -1,
    ts: '',
    call_id,
    stream_run_id: `child ${subagent_id}`,
    name,
    args: question.args === '' ? argsFor(question) : question.args,
    args_cut: false,
    state: 'suspended',
    suspension,
    permissions: [],
    decisions: [],
    result: null,
    progress: '',
    process: null,
  };
}

const PATH_TOOLS: ReadonlySet<string> = new Set(['read_file', 'list_files', 'write_file', 'edit_file']);

/** What is asked about is the whole command, or the path. */
function argsFor({ name, subject }: ChildQuestion): string {
  if (subject === '') return '';
  if (name === 'run_command') return JSON.stringify({ command: subject });
  return PATH_TOOLS.has(name) ? JSON.stringify({ path: subject }) : subject;
}
