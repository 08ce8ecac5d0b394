import { callMove, standingOf } from './closing.ts';
import { draft, type Draft, type ResumeMode, type Suspension, type ToolError } from './events.ts';
import type { Authority } from './extension.ts';
import type { Passage } from './call-gate.ts';
import { activationDraft } from './skill-activation.ts';
import type { Ids, ToolOutcome } from './ports.ts';
import { modeOf, saysNo, wrongAnswer } from './decisions.ts';
import { list } from './loose-fields.ts';
import { APPROVAL, OUTCOME_UNKNOWN, WORKFLOW_HELD, type CallDecision, type OpenCall } from './turn-calls.ts';

/** Pure: the events of a call's life. The loop only writes them. */

type Standing = Pick<OpenCall, 'call_id' | 'state'>;

/** What is on record of a call when it has passed the gate, or has not. */
export function passageDrafts(turn_id: string, call: Standing, passage: Passage, ids: Ids): readonly Draft[] {
  const { call_id } = call;
  switch (passage.kind) {
    case 'allowed':
      return [permission(turn_id, call_id, 'allow', passage.by)];
    case 'refused':
      return [
        ...(passage.by === null ? [] : [permission(turn_id, call_id, 'deny', passage.by)]),
        draft('tool_result', { turn_id, call_id, ok: false, error: passage.error, duration_ms: 0 }),
        callMove(turn_id, call, 'failed'),
      ];
    case 'preset': {
      const running = call.state === 'running' ? [] : [callMove(turn_id, call, 'running')];
      return [
        ...running,
        draft('tool_result', { turn_id, call_id, ok: true, output: passage.output, duration_ms: 0 }),
        callMove(turn_id, { call_id, state: 'running' }, 'succeeded'),
      ];
    }
    case 'asked':
      return [
        permission(turn_id, call_id, 'ask', passage.by),
        suspended(turn_id, call, passage.suspension, ids),
      ];
  }
}

export function suspended(
  turn_id: string,
  call: Standing,
  suspension: Omit<Suspension, 'id'>,
  ids: Ids,
): Draft {
  const move = callMove(turn_id, call, 'suspended');
  return { ...move, data: { ...move.data, suspension: { ...suspension, id: ids.next('suspension') } } };
}

function permission(
  turn_id: string,
  call_id: string,
  decision: 'allow' | 'deny' | 'ask',
  by: Authority | null,
): Draft {
  const nobody = { decided_by: 'policy' as const, rule: null, scope: 'call', sub_commands: [] };
  return draft('permission_decision', { turn_id, call_id, decision, ...(by ?? nobody) });
}

/** How a tool ended. */
export function outcomeDrafts(
  turn_id: string,
  call: Standing & { readonly duration_ms: number },
  outcome: ToolOutcome,
  ids: Ids,
): readonly Draft[] {
  if (outcome.kind === 'suspended') return [suspended(turn_id, call, outcome.suspension, ids)];
  const { call_id, duration_ms } = call;
  const { output, blob } = outcome;
  const body = { ...(output === undefined ? {} : { output }), ...(blob === undefined ? {} : { blob }) };
  const changes = outcome.changes.map((change) => draft('file_change', { turn_id, call_id, ...change }));
  const result = { turn_id, call_id, ...body, duration_ms };
  if (outcome.kind === 'success') {
    const { delivers = [], attachments = [], activates } = outcome;
    const told = {
      ...(delivers.length === 0 ? {} : { delivers }),
      ...(attachments.length === 0 ? {} : { attachments }),
    };
    return [
      ...changes,
      draft('tool_result', { ...result, ok: true, ...told }),
      ...(activates === undefined ? [] : [activationDraft(turn_id, activates, 'model')]),
      callMove(turn_id, call, 'succeeded'),
    ];
  }
  const { error } = outcome;
  const to = error.kind === 'cancelled' ? 'cancelled' : 'failed';
  return [...changes, draft('tool_result', { ...result, ok: false, error }), callMove(turn_id, call, to)];
}

/** How a decided call goes on: at once with these events, or by being run again. */
export type Resumption =
  | { readonly kind: 'settled' | 'asked'; readonly drafts: readonly Draft[] }
  | {
      readonly kind: 'again';
      readonly drafts: readonly Draft[];
      readonly decision?: { readonly result: unknown };
    };

export function resumption(turn_id: string, call: OpenCall, decision: CallDecision, ids: Ids): Resumption {
  if (decision.action !== 'resume') return { kind: 'settled', drafts: cancelDrafts(turn_id, call, decision) };
  const { call_id } = call;
  const resuming = callMove(turn_id, call, 'resuming');
  const standing: Standing = { call_id, state: 'resuming' };
  const mode = modeOf(call);
  // It came before the question, and does not answer it: the question stays.
  if (call.suspension !== null && isNoAnswer(mode, call.suspension, decision))
    return { kind: 'asked', drafts: [resuming, suspended(turn_id, standing, call.suspension, ids)] };
  switch (mode) {
    case 'use_decision_as_result': {
      const output = 'result' in decision ? asText(decision.result) : 'The person marked this as done.';
      return {
        kind: 'settled',
        drafts: [
          resuming,
          draft('tool_result', { turn_id, call_id, ok: true, output, duration_ms: 0 }),
          callMove(turn_id, standing, 'succeeded'),
        ],
      };
    }
    case 'pass_decision_to_tool':
      return { kind: 'again', drafts: [resuming], decision: { result: decision.result } };
    case 'replay_tool_call':
      return { kind: 'again', drafts: [resuming] };
  }
}

function isNoAnswer(mode: ResumeMode, suspension: Suspension, decision: CallDecision): boolean {
  if (!('result' in decision))
    return mode === 'use_decision_as_result' && suspension.reason !== OUTCOME_UNKNOWN;
  const { result } = decision;
  return mode === 'replay_tool_call' ? saysNo(result) : wrongAnswer(mode, suspension, result) !== null;
}

function cancelDrafts(turn_id: string, call: OpenCall, decision: CallDecision): readonly Draft[] {
  const { call_id, suspension } = call;
  const { decided_by, rule } = decision;
  const by: Authority = {
    decided_by,
    rule: rule ?? null,
    scope: rule === undefined ? 'call' : 'workspace',
    sub_commands: list(suspension?.parameters, 'sub_commands').filter((part) => typeof part === 'string'),
  };
  const error = cancelError(call, decision.reason);
  return [
    ...(suspension?.reason === APPROVAL ? [permission(turn_id, call_id, 'deny', by)] : []),
    draft('tool_result', { turn_id, call_id, ok: false, error, ...standingOf(call), duration_ms: 0 }),
    callMove(turn_id, call, 'cancelled'),
  ];
}

function cancelError({ name, suspension, started }: OpenCall, reason: string | undefined): ToolError {
  const because = reason === undefined ? '' : ` Their reason: ${reason}`;
  const details = reason === undefined ? {} : { details: { reason } };
  switch (suspension?.reason ?? '') {
    case OUTCOME_UNKNOWN:
      return {
        kind: OUTCOME_UNKNOWN,
        message: `${name} was running when its window ended or lost the session. Whether it finished is unknown, and the person chose not to run it again.${because}`,
        ...details,
      };
    case APPROVAL:
      return {
        kind: 'denied',
        message: `The person denied this call; it did not run${started ? ' again' : ''}. Do not reach the same by other means.${because}`,
        ...details,
      };
    case WORKFLOW_HELD:
      return {
        kind: 'denied',
        message: `The person did not answer what the workflow asks, so it stays as it is. It can be resumed later.${because}`,
        ...details,
      };
    default:
      return { kind: 'denied', message: `The person did not answer.${because}`, ...details };
  }
}

/** A payload as the model reads it: words as they are, anything else as JSON. */
function asText(result: unknown): string {
  return typeof result === 'string' ? result : (JSON.stringify(result) ?? 'null');
}
