import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { NodeState } from '../../src/presenter/agent-states.ts';
import { duration } from '../durations.ts';
import { Icon } from '../icons.tsx';
import { t } from '../l10n.ts';
import { stateLook } from '../state-look.ts';
import { visibleText } from '../visible-text.ts';
import { hasRole, roleOf } from './agent-words.ts';
import { Elapsed } from './elapsed.tsx';
import { afterWords, stepWords } from './step-details.tsx';
import type { Step } from './workflow-facts.ts';

export interface StepNodeProps {
  readonly step: Step;
  readonly state: NodeState | null;
  readonly isOpen: boolean;
  /** Stays the same from one drawing to the next. */
  readonly toggle: (id: string) => void;
}

/** Draws a step again only when something of it changed. */
export function StepNode(props: StepNodeProps): VNode {
  return useMemo(() => <StepView {...props} />, Object.values(props));
}

export function StepView({ step, state, isOpen, toggle }: StepNodeProps): VNode {
  const look = stateLook(state ?? 'queued');
  const words = stepWords(step, state);
  return (
    <button
      type="button"
      class="step"
      data-tone={look.tone}
      data-state={state ?? 'none'}
      data-required={step.required}
      aria-expanded={isOpen}
      title={`${visibleText(step.id)}: ${words}`}
      onClick={() => toggle(step.id)}
    >
      <Icon name={look.icon} spin={state === 'running'} />
      <span class="step-id">{visibleText(step.id)}</span>
      <span class="step-facts">
        <StepTime step={step} state={state} />
        {hasRole(step.agent) && <span>{roleOf(step.agent)}</span>}
        {!step.required && <span>{t('optional')}</span>}
      </span>
      <span class="unseen">{words}</span>
      {state !== null && <span class="unseen">{afterWords(step)}</span>}
    </button>
  );
}

function StepTime({ step, state }: Pick<StepNodeProps, 'step' | 'state'>): VNode | null {
  const { started_at, elapsed_ms } = step;
  if ((state === 'running' || state === 'waiting') && started_at !== null)
    return <Elapsed since={started_at} />;
  return elapsed_ms === null ? null : <span>{duration(elapsed_ms)}</span>;
}
