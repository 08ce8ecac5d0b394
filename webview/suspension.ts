import { isRecord, isTrueIn, listIn, numberIn, recordIn, stringIn } from './fields.ts';

/** A change of a file that was worked out but not made. */
export interface PlannedChange {
  readonly path: string;
  readonly created: boolean;
  readonly added: number;
  readonly removed: number;
  readonly diff: string;
}

/** Why a call waits, and all that helps to decide. Every text in it may have come from a model. */
export interface Suspension {
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  /** The ways to go on that a decision may choose from; empty when the host did not say. */
  readonly modes: readonly string[];
  readonly response_schema: unknown;
  readonly subject: string;
  readonly why: string;
  /** What happened to it before it was asked again. */
  readonly note: string;
  readonly rule: string;
  /** The commands that a command line consists of. */
  readonly parts: readonly string[];
  /** The rules that "Always allow" would remember, word for word. */
  readonly always: readonly string[];
  readonly change: PlannedChange | null;
  /** The file changed after it was approved, so it is asked again. */
  readonly changed_since: boolean;
  readonly question: string;
  /** Of a command that was running when its outcome was lost. */
  readonly pid: number | null;
}

/** What a call that waits asks for. A workflow that is held asks what its steps do. A tool that suspended itself for a reason of its own asks to be approved. */
export type Asked = 'approval' | 'question' | 'outcome_unknown';

export function askedBy(reason: string): Asked {
  if (reason === 'workflow_held') return 'question';
  return reason === 'question' || reason === 'outcome_unknown' ? reason : 'approval';
}

export function suspensionOf(value: unknown): Suspension | null {
  const id = stringIn(value, 'id');
  if (id === undefined) return null;
  const parameters = recordIn(value, 'parameters');
  return {
    id,
    reason: stringIn(value, 'reason') ?? '',
    message: stringIn(value, 'message') ?? '',
    modes: modesOf(value),
    response_schema: isRecord(value) ? value.response_schema : undefined,
    subject: stringIn(parameters, 'subject') ?? '',
    why: stringIn(parameters, 'why') ?? '',
    note: stringIn(parameters, 'note') ?? '',
    rule: stringIn(parameters, 'rule') ?? '',
    parts: stringsIn(parameters, 'sub_commands'),
    always: stringsIn(parameters, 'always'),
    change: changeOf(recordIn(parameters, 'change')),
    changed_since: isTrueIn(parameters, 'changed_since'),
    question: stringIn(parameters, 'question') ?? '',
    pid: numberIn(recordIn(parameters, 'process'), 'pid') ?? null,
  };
}

/** Without a list of others the host left the choice open, which is not the same as offering only one. */
function modesOf(value: unknown): readonly string[] {
  const others = stringsIn(value, 'resume_modes');
  const own = stringIn(value, 'resume_mode');
  return others.length === 0 ? [] : [...new Set([...(own === undefined ? [] : [own]), ...others])];
}

function stringsIn(value: unknown, key: string): readonly string[] {
  return listIn(value, key).filter((one) => typeof one === 'string');
}

function changeOf(value: Readonly<Record<string, unknown>> | undefined): PlannedChange | null {
  const diff = stringIn(value, 'diff');
  const path = stringIn(value, 'path');
  if (diff === undefined || path === undefined) return null;
  return {
    path,
    created: isTrueIn(value, 'created'),
    added: numberIn(value, 'added') ?? 0,
    removed: numberIn(value, 'removed') ?? 0,
    diff,
  };
}
