import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { NodeState } from '../../src/presenter/agent-states.ts';
import { duration } from '../durations.ts';
import { Icon } from '../icons.tsx';
import { t } from '../l10n.ts';
import { stateLook } from '../state-look.ts';
import { visibleText } from '../visible-text.ts';
import { hasRole, roleOf } from './agent-words.ts';
import type { Child } from './child-facts.ts';
import { Taken } from './elapsed.tsx';
import { afterWords, stepWords } from './step-details.tsx';
import type { Step } from './workflow-facts.ts';

export interface StepNodeProps {
  readonly step: Step;
  readonly state: NodeState | null;
  /** Who works on it, where that is known. */
  readonly child: Child | undefined;
  readonly isOpen: boolean;
  /** Stays the same from one drawing to the next. */
  readonly toggle: (id: string) => void;
}

/** Draws a step again only when something of it changed. */
export function StepNode(props: StepNodeProps): VNode {
  return useMemo(() => <StepView {...props} />, Object.values(props));
}

export function StepView({ step, state, child, isOpen, toggle }: StepNodeProps): VNode {
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
        <StepTime step={step} state={state} child={child} />
        {hasRole(step.agent) && <span>{roleOf(step.agent)}</span>}
        {!step.required && <span>{t('optional')}</span>}
      </span>
      <span class="unseen">{words}</span>
      {state !== null && <span class="unseen">{afterWords(step)}</span>}
    </button>
  );
}

/** Its time is that of its child: of that, what a person took is no part. */
function StepTime({ step, state, child }: Pick<StepNodeProps, 'step' | 'state' | 'child'>): VNode | null {
  const { elapsed_ms } = step;
  const since = child?.started_at ?? step.started_at;
  if ((state === 'running' || state === 'waiting') && since !== null)
    return <Taken since={since} still={child?.worked_ms ?? null} />;
  return elapsed_ms === null ? null : <span>{duration(elapsed_ms)}</span>;
}
