import type { VNode } from 'preact';
import type { NodeState } from '../../src/presenter/agent-states.ts';
import { ActionButtons } from '../action-buttons.tsx';
import { t } from '../l10n.ts';
import { visibleText } from '../visible-text.ts';
import { AgentInTurn, type CrewProps } from './agent-list.tsx';
import { Part, ReportedParts, Summary } from './agent-details.tsx';
import { inShort, stateWords } from './agent-words.ts';
import { isBusy } from './shown-state.ts';
import type { Step } from './workflow-facts.ts';

interface Props extends CrewProps {
  readonly step: Step;
  readonly state: NodeState | null;
}

/** What a step is about and what became of it, with the child that works on it. */
export function StepDetails({ step, state, ...crewProps }: Props): VNode {
  const { id, task, subagent_id, summary, reported, actions, depends_on } = step;
  const { locked, presenter } = crewProps;
  return (
    <div class="evidence-details step-details" role="group" aria-label={t('Step {0}', visibleText(id))}>
      <p>
        <strong>{visibleText(id)}</strong>{' '}
        <span class="quiet">
          {!step.required && `(${t('optional')}) `}
          {stepWords(step, state)}
        </span>
      </p>
      {subagent_id === null ? (
        task !== null && (
          <Part title={t('Task')}>
            <p class="agent-text">{visibleText(task)}</p>
          </Part>
        )
      ) : (
        <AgentInTurn {...crewProps} id={subagent_id} form={isBusy(state ?? 'queued') ? 'card' : 'row'} />
      )}
      {depends_on.length > 0 && <p class="quiet">{afterWords(step)}</p>}
      <Summary text={summary} presenter={presenter} />
      <ReportedParts reported={reported} presenter={presenter} />
      {state !== 'completed' && (
        <ActionButtons
          actions={actions.filter(({ command }) => command !== 'ledgerline.openAgent')}
          locked={locked}
          presenter={presenter}
        />
      )}
    </div>
  );
}

export function stepWords(step: Step, state: NodeState | null): string {
  if (state === null) return notBegun(step);
  // What an agent itself reports as failed says why in its summary.
  const reason = step.reason === '' && state === 'failed' ? inShort(step.summary) : step.reason;
  return stateWords(state, { ...step, reason });
}

/** What it waited for. */
export function afterWords({ depends_on }: Step): string {
  return depends_on.length === 0 ? '' : t('After: {0}', depends_on.map(visibleText).join(', '));
}

function notBegun({ depends_on }: Step): string {
  return depends_on.length === 0
    ? t('not begun')
    : t('waits for {0}', depends_on.map(visibleText).join(', '));
}
