import type { VNode } from 'preact';
import type { Presenter } from './presenter.ts';
import { prettyArguments, type ToolLine } from './tool-lines.ts';
import type { CallEntry, Suspension } from './transcript.ts';

interface Props {
  readonly call: CallEntry;
  readonly line: ToolLine;
  readonly suspension: Suspension;
  /** A decision is on its way. */
  readonly isDecided: boolean;
  readonly canDecide: boolean;
  readonly presenter: Presenter;
}

type Choice = 'resume' | 'cancel';

const WORDS = {
  approval: { resume: 'Approve', cancel: 'Deny' },
  outcome_unknown: { resume: 'Run again', cancel: 'Skip' },
} as const;

/** Asks for one decision. It never takes the focus: the person may be writing. */
export function Approval({ call, line, suspension, isDecided, canDecide, presenter }: Props): VNode {
  const words = suspension.reason === 'outcome_unknown' ? WORDS.outcome_unknown : WORDS.approval;
  const decide = (action: Choice): void => {
    presenter.gesture({ kind: 'decided', suspension_id: suspension.id });
    presenter.post({ type: 'decide', target_id: suspension.id, decision_id: crypto.randomUUID(), action });
  };
  const disabled = isDecided || !canDecide;
  return (
    <div class="approval" role="group" aria-label="Approval">
      <p>{suspension.message === '' ? `${line.verb} ${line.folder}${line.subject}` : suspension.message}</p>
      <pre tabIndex={0} aria-label="Arguments">
        {prettyArguments(call.args)}
      </pre>
      <div class="actions">
        <button type="button" class="button primary" disabled={disabled} onClick={() => decide('resume')}>
          {words.resume}
        </button>
        <button type="button" class="button" disabled={disabled} onClick={() => decide('cancel')}>
          {words.cancel}
        </button>
        {isDecided && <span class="quiet">Decision sent</span>}
      </div>
    </div>
  );
}
