import type { Suspension, ToolError } from './events.ts';
import { gate, type Authority, type PhaseView } from './extension.ts';
import type { CallPreview, PreparedCall } from './ports.ts';
import type { TurnContext } from './turn-context.ts';
import { APPROVAL, isByRule, OUTCOME_UNKNOWN, type OpenCall } from './turn-calls.ts';
import type { Turn } from './turn.ts';

/** What becomes of a call before anything of it runs. */
export type Passage =
  | { readonly kind: 'refused'; readonly error: ToolError; readonly by: Authority | null }
  | { readonly kind: 'asked'; readonly suspension: Omit<Suspension, 'id'>; readonly by: Authority | null }
  | { readonly kind: 'preset'; readonly output: string }
  | {
      readonly kind: 'allowed';
      readonly prepared: PreparedCall;
      readonly by: Authority | null;
      readonly basis?: CallPreview['basis'];
    };

/**
 * Unknown tool, then invalid arguments, then what the extensions say; nobody is asked about a change that
 * cannot be made. The same for a call that goes on after a decision: what a person approved need not be asked
 * again, as long as it is still what they were shown.
 */
export async function passageOf(context: TurnContext, view: PhaseView, call: OpenCall): Promise<Passage> {
  const found = context.tools.prepare(call);
  if (!found.ok) return { kind: 'refused', error: found.error, by: policyBehind(found.error) };
  const prepared = found.call;
  const vote = gate(context.extensions, view, prepared);
  switch (vote.kind) {
    case 'block':
      return { kind: 'refused', error: vote.error, by: vote.by };
    case 'preset':
      return vote;
    case 'allow': {
      // Nobody was shown anything: what lets it pass is the rule that counts now.
      if (isByRule(call.decision)) return { kind: 'allowed', prepared, by: vote.by };
      // What was asked is still only approved as it was shown, even if by now nobody would be asked.
      const earlier = call.approved.findLast(({ reason }) => reason === APPROVAL);
      if (call.decision === null || earlier === undefined) {
        return { kind: 'allowed', prepared, by: call.decision === null ? vote.by : byUser(call, vote.by) };
      }
      return askedPassage(context, view, { call, prepared, suspension: earlier, by: vote.by });
    }
    case 'suspend':
      return askedPassage(context, view, { call, prepared, suspension: vote.suspension, by: vote.by });
  }
}

/** What no tool may touch is denied, and on record as that; other arguments are just wrong. */
function policyBehind({ kind }: ToolError): Authority | null {
  if (kind !== 'denied_path' && kind !== 'outside_workspace') return null;
  return { decided_by: 'policy', rule: `policy:${kind}`, scope: 'call', sub_commands: [] };
}

interface Asking {
  readonly call: OpenCall;
  readonly prepared: PreparedCall;
  readonly suspension: Omit<Suspension, 'id'>;
  readonly by: Authority | null;
}

/** Allowed where a person has approved exactly this, asked where not. */
async function askedPassage(
  context: TurnContext,
  view: PhaseView,
  { call, prepared, suspension, by }: Asking,
): Promise<Passage> {
  const looked = await context.tools.preview(prepared, context.signal);
  if (!looked.ok) return { kind: 'refused', error: looked.error, by: null };
  const question = asked(suspension, prepared, looked.preview);
  const standing = approvalOf(view.turn, call, question);
  if (standing !== 'given')
    return { kind: 'asked', by, suspension: standing === 'none' ? question : changedSince(question) };
  const basis = looked.preview === null ? {} : { basis: looked.preview.basis };
  return { kind: 'allowed', prepared, by: byUser(call, by), ...basis };
}

interface Question {
  readonly tool: string;
  readonly subject: string;
  readonly basis?: CallPreview['basis'];
}

function asked(
  suspension: Omit<Suspension, 'id'>,
  { name: tool, subject }: PreparedCall,
  preview: CallPreview | null,
): Omit<Suspension, 'id'> & { readonly parameters: Question } {
  const given = isObject(suspension.parameters) ? suspension.parameters : {};
  const shown = preview === null ? {} : { ...preview.parameters, basis: preview.basis };
  return { ...suspension, parameters: { ...given, ...shown, tool, subject } };
}

function changedSince<S extends Omit<Suspension, 'id'> & { readonly parameters: Question }>(
  suspension: S,
): S {
  const { subject } = suspension.parameters;
  const note = `${subject} changed after you approved this.`;
  const message = suspension.message.startsWith(note) ? suspension.message : `${note} ${suspension.message}`;
  return { ...suspension, message, parameters: { ...suspension.parameters, changed_since: true } };
}

/** Whether a person has approved what would be asked now. */
function approvalOf(
  turn: Turn,
  call: OpenCall,
  question: { readonly reason: string; readonly parameters: Question },
): 'given' | 'outdated' | 'none' {
  // Whoever says that it shall run again has seen what it is.
  if (call.approved.some(({ reason }) => reason === OUTCOME_UNKNOWN)) return 'given';
  const answered = call.approved.filter(({ reason }) => reason === question.reason);
  if (answered.some(({ parameters }) => isStill(parameters, question.parameters, turn))) return 'given';
  return answered.length > 0 ? 'outdated' : 'none';
}

function isStill(parameters: unknown, now: Question, turn: Turn): boolean {
  if (!isObject(parameters) || parameters['subject'] !== now.subject) return false;
  if (now.basis === undefined) return true;
  const { basis } = parameters;
  return isObject(basis) && basis['path'] === now.basis.path && leadsTo(turn, basis['sha256'], now.basis);
}

/** The same content, or what this turn's own calls have made of it since: those were allowed as well. */
function leadsTo(turn: Turn, from: unknown, now: CallPreview['basis']): boolean {
  let sha256 = from;
  for (const change of turn.changes) {
    if (sha256 === now.sha256) return true;
    if (change.path === now.path && change.before_sha256 === sha256) sha256 = change.after_sha256;
  }
  return sha256 === now.sha256;
}

/** A person has let it pass, for this call or, with a rule, for others like it too. */
function byUser({ decision }: OpenCall, asked: Authority | null): Authority {
  const rule = decision?.rule ?? null;
  const scope = rule === null ? 'call' : 'workspace';
  return { decided_by: 'user', rule, scope, sub_commands: asked?.sub_commands ?? [] };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
