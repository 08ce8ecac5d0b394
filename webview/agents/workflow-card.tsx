import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { NodeState } from '../../src/presenter/agent-states.ts';
import { ActionButtons } from '../action-buttons.tsx';
import { wholeSeconds } from '../durations.ts';
import { Disclosure } from '../disclosure.tsx';
import { Icon } from '../icons.tsx';
import { t, whole } from '../l10n.ts';
import { stateLook } from '../state-look.ts';
import { visibleText } from '../visible-text.ts';
import type { CrewProps } from './agent-list.tsx';
import { allowance, countWords, stateWords } from './agent-words.ts';
import type { Crew } from './crew.ts';
import { TimeOf, type TimeProps } from './elapsed.tsx';
import { childState, isBusy, stepState, workflowState, type Sight } from './shown-state.ts';
import { StepGraph } from './step-graph.tsx';
import type { Workflow } from './workflow-facts.ts';

interface Props extends CrewProps {
  readonly id: string;
  /** It asks a person how to go on: to resume it would take that question away. */
  readonly isAsking: boolean;
}

/** Draws the card again only when something of its workflow, or of a child in it, changed. */
export function WorkflowCard({
  id,
  isAsking,
  crew,
  sight,
  sessionId,
  locked,
  presenter,
}: Props): VNode | null {
  const workflow = crew.workflows.get(id);
  const members = workflow === undefined ? [] : membersOf(workflow, crew);
  return useMemo(
    () =>
      workflow === undefined ? null : (
        <WorkflowView {...{ crew, sight, sessionId, locked, presenter, isAsking }} workflow={workflow} />
      ),
    [
      workflow,
      isAsking,
      members.length,
      ...members,
      sight.lost,
      sight.seen_from,
      sessionId,
      locked,
      presenter,
    ],
  );
}

function membersOf(workflow: Workflow, crew: Crew): readonly unknown[] {
  return workflow.steps.flatMap(({ subagent_id: id }) =>
    id === null ? [] : [crew.children.get(id), crew.live.get(id)],
  );
}

interface ViewProps extends Omit<Props, 'id'> {
  readonly workflow: Workflow;
}

export function WorkflowView({ workflow, isAsking, ...crewProps }: ViewProps): VNode {
  const { crew, sight, locked, presenter } = crewProps;
  const { end, steps } = workflow;
  const state = workflowState(workflow, crew, sight);
  const look = stateLook(state);
  const name = visibleText(workflow.name ?? workflow.workflow_id);
  const words = wordsOf(workflow, state, crew, sight);
  return (
    <div
      class="workflow"
      role="group"
      aria-label={t('Workflow {0}', name)}
      data-workflow-id={workflow.workflow_id}
      data-state={state}
    >
      <p class="workflow-head" data-tone={look.tone}>
        <Icon name={look.icon} spin={state === 'running'} />
        <span class="quiet">{t('Workflow')}</span>
        <span class="workflow-name" title={name}>
          {name}
        </span>
        {isBusy(state) && <TimeOf {...timeOf(workflow, crew, sight)} />}
        {end !== null && end.elapsed_ms !== null && state !== 'completed' && (
          <span class="time">{wholeSeconds(end.elapsed_ms)}</span>
        )}
      </p>
      <p class={state === 'failed' ? 'workflow-state red' : 'workflow-state'}>{words}</p>
      <Outcome workflow={workflow} />
      {steps.length > 0 && (
        <Disclosure
          class="workflow-steps"
          open={steps.length <= SEEN_AT_ONCE}
          head={<span class="quiet">{stepCount(steps.length)}</span>}
        >
          {!workflow.is_whole && (
            <p class="quiet">{t('It began before what is shown. Show earlier to see all of it.')}</p>
          )}
          <StepGraph workflow={workflow} {...crewProps} />
        </Disclosure>
      )}
      {end !== null && state !== 'completed' && (
        <ActionButtons
          actions={end.actions.filter(({ command }) => !isAsking || command !== 'ledgerline.resumeWorkflow')}
          locked={locked}
          presenter={presenter}
        />
      )}
    </div>
  );
}

/** More steps than these are for who asks to see them. */
const SEEN_AT_ONCE = 20;

function wordsOf(workflow: Workflow, state: NodeState, crew: Crew, sight: Sight): string {
  const { end, timeout_ms } = workflow;
  if (end !== null) return stateWords(state, { ...end, timeout_ms, reason: whyOf(workflow, state) });
  const states = workflow.steps.map((step) => stepState(step, workflow, crew, sight));
  const words = stateWords(state, { elapsed_ms: null, timeout_ms, reason: '' });
  if (states.length === 0) return words;
  const done = states.filter((one) => one === 'completed').length;
  // What works and what is done is in the words before.
  const others = countWords(states.filter((one) => one !== null && !TOLD.has(one)));
  const progress = t('{0} of {1} steps done', whole(done), whole(states.length));
  const all = others === '' ? progress : `${progress}, ${others}`;
  return state === 'running' ? t('Working: {0}', all) : `${words}. ${all}`;
}

/** The other ways to end are why by themselves; what failed did because of its steps. */
function whyOf({ steps }: Workflow, state: NodeState): string {
  return state === 'failed'
    ? steps.flatMap((step) => (step.state === 'failed' ? [step.id] : [])).join(', ')
    : '';
}

const TOLD: ReadonlySet<NodeState> = new Set<NodeState>(['running', 'waiting', 'completed']);

function stepCount(count: number): string {
  return count === 1 ? t('1 step') : t('{0} steps', whole(count));
}

/** What may be relied on by now, as the workflow itself judged it. */
function Outcome({ workflow: { end } }: { workflow: Workflow }): VNode | null {
  if (end === null || (!end.completion_ready && !end.partial_outcome_ready)) return null;
  return (
    <p class="quiet workflow-outcome">
      {end.completion_ready ? t('Completion ready') : t('Partial outcome ready')}
    </p>
  );
}

/** Whoever of the session's children asks, the time of all that wait for them stands still. */
function isHeld({ children, live }: Crew, sight: Sight): boolean {
  return [...children].some(([id, child]) => childState(child, live.get(id), sight) === 'waiting');
}

/** Of one with a limit only the time at work counts: it stands still while somebody is asked, and the deadline moves. */
function timeOf(workflow: Workflow, crew: Crew, sight: Sight): TimeProps {
  const { started_at, deadline_at } = workflow;
  const allowed = allowance(workflow);
  if (allowed === null || deadline_at === null) return { since: started_at, allowed, deadline_at };
  if (isHeld(crew, sight)) return { since: null, still: 0, allowed, deadline_at: null };
  return { since: deadline_at - allowed, allowed, deadline_at };
}
