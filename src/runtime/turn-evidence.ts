import { afterChange, afterDiagnostic, NO_UNDO_FACTS, type UndoFacts } from './change-facts.ts';
import { field, list, numberOrNull, parsed, text } from './loose-fields.ts';

export type { ChangeFact } from './change-facts.ts';

/**
 * What a turn did, by the log alone: what the model says of itself never counts. The same fold serves the host,
 * which has every event, and the page, which has projections of some of them: so it reads what is there and
 * takes a field of another type as absent.
 */

/** An event, or its projection. */
export interface Fact {
  readonly type: string;
  readonly data: object;
}

/**
 * How a call ended. `refused` did not run because someone or some rule said no; `cancelled` did not run, or not to
 * its end, because its turn was over.
 */
export type CallOutcome = 'open' | 'succeeded' | 'failed' | 'refused' | 'skipped' | 'cancelled';

export interface CommandFact {
  readonly call_id: string;
  readonly command: string;
  readonly outcome: CallOutcome;
  /** Null where it has none: it is running, was refused, was ended by a signal. */
  readonly exit_code: number | null;
}

/** Whether it may have done something that an undo does not take back. */
export function mayHaveRun({ outcome }: CommandFact): boolean {
  return outcome !== 'refused' && outcome !== 'skipped';
}

export interface PlanStep {
  readonly step: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

export interface SkillFact {
  readonly name: string;
  readonly activated_by: string;
}

export interface TurnEvidence extends UndoFacts {
  readonly commands: readonly CommandFact[];
  /** Calls that are no commands, by how they ended. */
  readonly others: Readonly<Record<CallOutcome, number>>;
  /** Calls a person was asked about, and those that a rule decided. */
  readonly approvals: {
    readonly approved: number;
    /** Of those: with "always". */
    readonly always: number;
    readonly denied: number;
    readonly allowed_by_rule: number;
    readonly denied_by_rule: number;
  };
  readonly responses: number;
  /** Null as soon as one response did not say. */
  readonly tokens: number | null;
  readonly cached: { readonly input: number; readonly cached: number } | null;
  /** Skills that the turn was given, and by whom: the person, or the model. */
  readonly skills: readonly SkillFact[];
  /** Null while there is none. */
  readonly plan: readonly PlanStep[] | null;
  /** Children that worked for it and may write: what they changed is in their own logs. */
  readonly children: readonly string[];
}

interface OpenCall {
  readonly call_id: string;
  readonly name: string;
  readonly args: string;
  /** Why it waits or waited last. */
  readonly asked: string;
}

/** The evidence, and what the fold needs to know of calls that have no result yet. */
export interface EvidenceFold {
  readonly evidence: TurnEvidence;
  readonly open: readonly OpenCall[];
}

export const NO_EVIDENCE: EvidenceFold = {
  evidence: {
    ...NO_UNDO_FACTS,
    commands: [],
    others: { open: 0, succeeded: 0, failed: 0, refused: 0, skipped: 0, cancelled: 0 },
    approvals: { approved: 0, always: 0, denied: 0, allowed_by_rule: 0, denied_by_rule: 0 },
    responses: 0,
    tokens: 0,
    cached: { input: 0, cached: 0 },
    skills: [],
    plan: null,
    children: [],
  },
  open: [],
};

/** Pure: the evidence after one more event of the turn. */
export function applyToEvidence(fold: EvidenceFold, { type, data }: Fact): EvidenceFold {
  switch (type) {
    case 'tool_call':
      return afterCall(fold, data);
    case 'tool_result':
      return afterResult(fold, data);
    case 'tool_call_status':
      return afterStatus(fold, data);
    case 'tool_call_decision':
      return changed(fold, { approvals: afterDecision(fold, data) });
    case 'permission_decision': {
      const approvals = afterPermission(fold, data);
      return approvals === fold.evidence.approvals ? fold : changed(fold, { approvals });
    }
    case 'file_change':
      return changed(fold, afterChange(fold.evidence, data));
    case 'provider_usage':
      return changed(fold, afterUsage(fold.evidence, data));
    case 'skill_activation': {
      const fact = { name: text(data, 'name'), activated_by: text(data, 'activated_by') };
      return changed(fold, { skills: [...fold.evidence.skills, fact] });
    }
    case 'diagnostic': {
      const facts = afterDiagnostic(fold.evidence, data);
      return facts === fold.evidence ? fold : changed(fold, facts);
    }
    case 'subagent_event':
      return afterChild(fold, data);
    default:
      return fold;
  }
}

const COMMAND_CHARS = 300;
const PLAN = 'update_plan';

function changed(
  { evidence, open }: EvidenceFold,
  change: Partial<TurnEvidence>,
  openNow: EvidenceFold['open'] = open,
): EvidenceFold {
  return { evidence: { ...evidence, ...change }, open: openNow };
}

function afterCall(fold: EvidenceFold, data: object): EvidenceFold {
  const call_id = text(data, 'call_id');
  const name = text(data, 'name');
  const args = text(data, 'args');
  const open = [...fold.open.filter((one) => one.call_id !== call_id), { call_id, name, args, asked: '' }];
  const { commands, others } = fold.evidence;
  // A plan is shown as what it is; only one that was refused is a call worth counting.
  if (name === PLAN) return { ...fold, open };
  if (name !== 'run_command') return changed(fold, { others: counted(others, 'open', 1) }, open);
  const command = text(parsed(args), 'command').slice(0, COMMAND_CHARS);
  const fact: CommandFact = { call_id, command, outcome: 'open', exit_code: null };
  return changed(fold, { commands: [...commands, fact] }, open);
}

function afterResult(fold: EvidenceFold, data: object): EvidenceFold {
  const call_id = text(data, 'call_id');
  const call = fold.open.find((one) => one.call_id === call_id);
  if (call === undefined) return fold;
  const open = fold.open.filter((one) => one !== call);
  const { commands, others, plan } = fold.evidence;
  const outcome = outcomeOf(call, data);
  if (call.name === 'run_command') {
    const at = commands.findLastIndex((one) => one.call_id === call_id);
    const known = commands[at];
    const settled =
      known === undefined ? commands : commands.with(at, { ...known, outcome, exit_code: exitCode(data) });
    return changed(fold, { commands: settled }, open);
  }
  if (call.name !== PLAN)
    return changed(fold, { others: counted(counted(others, 'open', -1), outcome, 1) }, open);
  if (outcome !== 'succeeded') return changed(fold, { others: counted(others, outcome, 1) }, open);
  return changed(fold, { plan: planIn(call.args) ?? plan }, open);
}

function counted(counts: TurnEvidence['others'], outcome: CallOutcome, by: number): TurnEvidence['others'] {
  return { ...counts, [outcome]: counts[outcome] + by };
}

function isQuestion(asked: string): boolean {
  return asked === 'question' || asked === 'workflow_held';
}

const REFUSALS: ReadonlySet<string> = new Set(['denied', 'permission_denied']);
const CANCELLED: ReadonlySet<string> = new Set(['cancelled', 'interrupted', 'never_started', 'left_behind']);

function outcomeOf(call: OpenCall, data: object): CallOutcome {
  if (field(data, 'ok') === true) return 'succeeded';
  const kind = text(field(data, 'error'), 'kind');
  if (kind === 'outcome_unknown') return 'skipped';
  if (CANCELLED.has(kind)) return 'cancelled';
  if (!REFUSALS.has(kind)) return 'failed';
  return isQuestion(call.asked) ? 'skipped' : 'refused';
}

function exitCode(data: object): number | null {
  const code = field(field(field(data, 'error'), 'details'), 'exit_code');
  if (typeof code === 'number') return code;
  // A command that a person marked as done has words of its own in the place of an output.
  return field(data, 'ok') === true && text(data, 'output').startsWith('exit code 0') ? 0 : null;
}

function afterStatus(fold: EvidenceFold, data: object): EvidenceFold {
  const call_id = text(data, 'call_id');
  const asked = text(field(data, 'suspension'), 'reason');
  if (asked === '') return fold;
  const open = fold.open.map((one) => (one.call_id === call_id ? { ...one, asked } : one));
  return { ...fold, open };
}

function afterDecision({ evidence, open }: EvidenceFold, data: object): TurnEvidence['approvals'] {
  const { approvals } = evidence;
  const call_id = text(data, 'call_id');
  const asked = open.find((one) => one.call_id === call_id)?.asked ?? '';
  if (isQuestion(asked) || asked === 'outcome_unknown') return approvals;
  if (text(data, 'decided_by') !== 'user') return approvals;
  if (text(data, 'action') !== 'resume') return { ...approvals, denied: approvals.denied + 1 };
  const always = text(data, 'rule') === '' ? 0 : 1;
  return { ...approvals, approved: approvals.approved + 1, always: approvals.always + always };
}

function afterPermission({ evidence }: EvidenceFold, data: object): TurnEvidence['approvals'] {
  const { approvals } = evidence;
  if (text(data, 'decided_by') !== 'rule') return approvals;
  switch (text(data, 'decision')) {
    case 'allow':
      return { ...approvals, allowed_by_rule: approvals.allowed_by_rule + 1 };
    case 'deny':
      return { ...approvals, denied_by_rule: approvals.denied_by_rule + 1 };
    default:
      return approvals;
  }
}

/** What an end is told with belongs to whichever turn there is then. An explorer only reads. */
function afterChild(fold: EvidenceFold, data: object): EvidenceFold {
  const id = text(data, 'subagent_id');
  const { children } = fold.evidence;
  if (id === '' || children.includes(id)) return fold;
  if (text(data, 'event') === 'delivered' || text(data, 'agent') === 'explorer') return fold;
  return changed(fold, { children: [...children, id] });
}

function afterUsage(
  { tokens, cached, responses }: TurnEvidence,
  data: object,
): Pick<TurnEvidence, 'tokens' | 'cached' | 'responses'> {
  const counts = field(data, 'tokens');
  const total = numberOrNull(counts, 'total');
  const input = numberOrNull(counts, 'input');
  const fromCache = numberOrNull(counts, 'cached');
  return {
    responses: text(data, 'purpose') === '' ? responses + 1 : responses,
    tokens: tokens === null || total === null ? null : tokens + total,
    cached:
      cached === null || input === null || fromCache === null
        ? null
        : { input: cached.input + input, cached: cached.cached + fromCache },
  };
}

const STATUSES = ['pending', 'in_progress', 'completed'] as const satisfies readonly PlanStep['status'][];

/** Null for arguments that are no plan: then the one before stands. */
function planIn(args: string): readonly PlanStep[] | null {
  const steps = list(parsed(args), 'steps').flatMap((one) => {
    const words = text(one, 'step');
    const status = STATUSES.find((known) => known === text(one, 'status'));
    return words === '' || status === undefined ? [] : [{ step: words, status }];
  });
  return steps.length === 0 ? null : steps;
}
