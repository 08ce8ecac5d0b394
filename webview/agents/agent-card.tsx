import type { ComponentChildren, VNode } from 'preact';
import { useId, useMemo, useRef, useState } from 'preact/hooks';
import type { NodeState } from '../../src/presenter/agent-states.ts';
import { ActionButtons } from '../action-buttons.tsx';
import { DecidingButton } from '../deciding-button.tsx';
import { wholeSeconds } from '../durations.ts';
import { goToQuestion } from '../decision-key.ts';
import { Icon } from '../icons.tsx';
import { t } from '../l10n.ts';
import { lockOf } from '../offer.ts';
import { useOpenedInView } from '../opened-in-view.ts';
import { openAgent, stopAgent, type Presenter } from '../presenter.ts';
import { stateLook } from '../state-look.ts';
import { visibleText } from '../visible-text.ts';
import { AgentDetails } from './agent-details.tsx';
import {
  allowance,
  attemptWords,
  hasRole,
  inShort,
  phraseFor,
  roleOf,
  stateWords,
  waitingWords,
  workingWords,
} from './agent-words.ts';
import type { Child, ChildEnd } from './child-facts.ts';
import type { LiveChild } from './crew.ts';
import { Silence, Taken, TimeOf } from './elapsed.tsx';
import { isBusy } from './shown-state.ts';

export interface AgentProps {
  readonly subagentId: string;
  /** Undefined where the log's events of it are before what is shown. */
  readonly child: Child | undefined;
  readonly live: LiveChild | undefined;
  readonly state: NodeState;
  /** One line among many, or with what it is doing below. */
  readonly form: 'card' | 'row';
  /** The session that has it. */
  readonly sessionId: string;
  /** Why nothing can be decided here; null when it can. */
  readonly locked: string | null;
  readonly presenter: Presenter;
}

/** Draws the card again only when something of its own child changed. */
export function AgentCard(props: AgentProps): VNode {
  return useMemo(() => <AgentView {...props} />, Object.values(props));
}

export function AgentView(props: AgentProps): VNode {
  const { subagentId, child, state, form } = props;
  const [openings, setOpenings] = useState(0);
  const [isOpen, setIsOpen] = useState(false);
  const body = useId();
  const box = useRef<HTMLDivElement>(null);
  useOpenedInView(box, openings);
  const look = stateLook(state);
  const task = inShort(child?.task ?? '');
  const label = `${roleOf(child?.agent)}${task === '' ? '' : `: ${task}`}`;
  const toggle = (): void => {
    setIsOpen(!isOpen);
    if (!isOpen) setOpenings(openings + 1);
  };
  return (
    <div
      class={form === 'card' ? 'agent' : 'agent compact'}
      ref={box}
      role="group"
      aria-label={t('Agent {0}', hasRole(child?.agent) || task === '' ? label : task)}
      data-subagent-id={subagentId}
      data-state={state}
    >
      <div class="agent-head" data-tone={look.tone} title={visibleText(child?.task ?? '')}>
        {/* Of many in a list only the line that counts them turns: as many moving icons take all of a page's time. */}
        <Icon name={look.icon} spin={state === 'running' && form === 'card'} />
        <button
          type="button"
          class="call-toggle agent-toggle"
          aria-expanded={isOpen}
          aria-controls={body}
          aria-label={`${label}. ${wordsOf(props)}`}
          onClick={toggle}
        >
          {roleOf(child?.agent)}
        </button>
        <span class="agent-task">{inShort(child?.task ?? '', 200)}</span>
        {form === 'row' && <RowTime {...props} />}
        <AgentButtons {...props} label={label} />
      </div>
      {form === 'card' && <StateOfCard {...props} />}
      <div id={body} hidden={!isOpen}>
        {isOpen && (
          <div class="evidence-details agent-body">
            {form === 'row' && <StateOfCard {...props} />}
            <AgentDetails child={child} presenter={props.presenter} />
          </div>
        )}
      </div>
    </div>
  );
}

/** How it stands in words, for those who hear it, and for the line. */
function wordsOf({ child, live, state }: AgentProps): string {
  if (state === 'running') return workingWords(live);
  if (state === 'waiting') return waitingWords(live);
  const { elapsed_ms = null, reason = '' } = child?.end ?? {};
  return stateWords(state, { elapsed_ms, reason, timeout_ms: child?.timeout_ms ?? null });
}

/** Two lines that stay two lines, whatever becomes of it; what there is to do about an end comes below them. */
function StateOfCard(props: AgentProps): VNode {
  const { subagentId, child, live, state, locked, presenter } = props;
  const end = child?.end ?? null;
  const words = wordsOf(props);
  return (
    <div class="agent-state">
      <p class="agent-line" data-tone={state === 'failed' ? 'plain' : 'quiet'} title={words}>
        <span class={state === 'failed' ? 'agent-words red' : 'agent-words'}>{words}</span>
        {state === 'waiting' && (live?.questions.length ?? 0) > 0 && (
          <button type="button" class="link-button" onClick={() => goToQuestion(subagentId)}>
            {t('Go to it')}
          </button>
        )}
      </p>
      <p class="agent-line quiet">
        {end === null ? (
          <Facts {...props} />
        ) : (
          <Preview end={end} state={state} attempts={attemptsOf(child)} />
        )}
      </p>
      {end !== null && state !== 'completed' && (
        <ActionButtons
          actions={end.actions.filter(({ command }) => command !== 'ledgerline.openAgent')}
          locked={locked}
          presenter={presenter}
        />
      )}
    </div>
  );
}

function Facts({ child, live, state }: AgentProps): VNode {
  const attempts = attemptsOf(child);
  const limit = child === undefined ? null : allowance(child);
  const since = isBusy(state) ? (child?.started_at ?? live?.activity?.since ?? null) : null;
  const news = state === 'running' ? Math.max(live?.news_at ?? 0, child?.news_at ?? 0) : 0;
  return (
    <Parted>
      {news > 0 && <Silence news_at={news} />}
      {isBusy(state) && (
        <TimeOf
          since={since}
          still={child?.worked_ms ?? null}
          allowed={limit}
          deadline_at={child?.deadline_at ?? null}
        />
      )}
      {attempts !== '' && <span>{attempts}</span>}
    </Parted>
  );
}

function attemptsOf(child: Child | undefined): string {
  const before = child?.attempts.length ?? 0;
  return before === 0 ? '' : attemptWords(before + 1);
}

/** The beginning of what it says: the card opens to all of it. */
function Preview({ end, state, attempts }: { end: ChildEnd; state: NodeState; attempts: string }): VNode {
  const words = inShort(withoutMarks(end.summary), 200);
  const isTold = state === 'completed' || state === 'timed_out' || end.elapsed_ms === null;
  return (
    <Parted>
      {!isTold && <span>{t('after {0}', wholeSeconds(end.elapsed_ms ?? 0))}</span>}
      {attempts !== '' && <span>{attempts}</span>}
      {words !== '' && <span>{words}</span>}
    </Parted>
  );
}

/** Of Markdown, what is read. */
function withoutMarks(text: string): string {
  return text
    .trim()
    .replace(/^(?:#+|[-*>]) /u, '')
    .replaceAll(/`|\*\*/gu, '');
}

function Parted({ children }: { children: ComponentChildren }): VNode {
  return <span class="parted">{children}</span>;
}

/** In a list of many, only how long it takes or took has room beside the task. */
function RowTime({ child, live, state }: AgentProps): VNode | null {
  const since = child?.started_at ?? live?.activity?.since ?? null;
  if (state === 'running' || state === 'waiting')
    return since === null ? null : (
      <span class="duration">
        <Taken since={since} still={child?.worked_ms ?? null} />
      </span>
    );
  const elapsed = child?.end?.elapsed_ms ?? null;
  return (
    <span class="duration" title={phraseFor(state)}>
      {elapsed === null ? phraseFor(state) : wholeSeconds(elapsed)}
    </span>
  );
}

function AgentButtons(props: AgentProps & { readonly label: string }): VNode {
  const { subagentId, child, live, state, sessionId, locked, presenter, label } = props;
  const childSession = live?.child_session_id ?? child?.child_session_id ?? null;
  return (
    <span class="agent-buttons">
      {childSession !== null && (
        <button
          type="button"
          class="icon-button"
          title={t('Open transcript')}
          aria-label={t('Open transcript of {0}', label)}
          onClick={() => openAgent(presenter, childSession)}
        >
          <Icon name="transcript" />
        </button>
      )}
      {isBusy(state) && (
        <DecidingButton
          class="icon-button"
          aria-label={t('End {0}', label)}
          {...lockOf(locked)}
          title={locked === null ? t('Stop this agent') : lockOf(locked).title}
          press={() => stopAgent(presenter, sessionId, subagentId)}
        >
          <Icon name="debug-stop" />
        </DecidingButton>
      )}
    </span>
  );
}
