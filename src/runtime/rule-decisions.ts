import { draft, type Draft } from './events.ts';
import { gate, type PhaseView } from './extension.ts';
import type { RunPorts } from './session-ports.ts';
import { APPROVAL, type OpenCall } from './turn-calls.ts';
import { pendingCalls } from './turn.ts';

/** Decisions for the calls that still ask what a rule has come to allow. Only a rule decides; a mode does not. */
export function decidedByRule(
  view: PhaseView,
  { tools, extensions }: Pick<RunPorts, 'tools' | 'extensions'>,
  nextId: () => string,
): readonly Draft[] {
  return pendingCalls(view.turn).flatMap((call) => {
    const { turn_id } = view.turn;
    const { call_id, suspension } = call;
    if (!isAskedForApproval(call) || suspension === null) return [];
    const found = tools.prepare(call);
    if (!found.ok) return [];
    const vote = gate(extensions, view, found.call);
    if (vote.kind !== 'allow' || vote.by?.decided_by !== 'rule') return [];
    const { rule } = vote.by;
    return [
      draft('tool_call_decision', {
        turn_id,
        call_id,
        decision_id: nextId(),
        target_id: suspension.id,
        action: 'resume',
        decided_by: 'rule',
        ...(rule === null ? {} : { rule }),
      }),
    ];
  });
}

function isAskedForApproval({ state, decision, suspension }: OpenCall): boolean {
  return state === 'suspended' && decision === null && suspension?.reason === APPROVAL;
}
