import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { AnswerText, Thought } from './answer-text.tsx';
import type { CallEntry } from './call-entry.ts';
import { ChildQuestions, MemberCard, Strays } from './agents/crew-entries.tsx';
import { AgentList, type CrewProps } from './agents/agent-list.tsx';
import { withRuns, type AgentRun } from './agents/agent-runs.ts';
import { childrenWaiting } from './agents/child-waiting.ts';
import type { Crew } from './agents/crew.ts';
import type { Sight } from './agents/shown-state.ts';
import { strayIds } from './agents/strays.ts';
import { BranchLine } from './branch-line.tsx';
import { CallLine } from './call-line.tsx';
import { CheckpointLine } from './checkpoint-line.tsx';
import { drawnEntries } from './drawn-entries.ts';
import { FaultBoundary } from './fault-boundary.tsx';
import { TurnFault } from './fault-view.tsx';
import { firstCharacters } from './first-characters.ts';
import { t } from './l10n.ts';
import { MarkLine } from './mark-line.tsx';
import type { Presenter } from './presenter.ts';
import { PlanView } from './plan-view.tsx';
import { PromptBox } from './prompt-box.tsx';
import { liveCall, type LiveCall, type Plan, type Stream, type Told } from './state.ts';
import { StateLine } from './state-line.tsx';
import type { Entry, Turn } from './transcript.ts';
import type { TurnState } from './turn-evidence.ts';
import { waitingCalls, type WaitingCall } from './waiting-calls.ts';
import { unreachable } from './unreachable.ts';

export interface TurnProps {
  readonly turn: Turn;
  readonly turnState: TurnState;
  readonly told: Told | null;
  /** As the host told it, where its calls are before the window. */
  readonly plan: Plan | null;
  readonly stream: Stream | null;
  readonly calls: Readonly<Record<string, LiveCall>>;
  /** The children and workflows of the session; none where the turn shows none. */
  readonly crew: Crew;
  readonly sight: Sight;
  /** Children at work whose place is before what is shown, where this turn shows them. */
  readonly strays: string;
  readonly sessionId: string;
  readonly isLast: boolean;
  /** What is shown of it ends in its middle: how it stands is not known there. */
  readonly isCutOff: boolean;
  readonly stopping: boolean;
  readonly newsAt: number;
  /** Suspensions with a decision on its way. */
  readonly decided: readonly string[];
  /** Why nothing can be decided here; null when it can. */
  readonly locked: string | null;
  readonly presenter: Presenter;
}

/** Draws the turn again only when something of it changed. */
export function TurnSlot(props: TurnProps): VNode {
  const { turn, presenter } = props;
  return useMemo(
    () => (
      <FaultBoundary
        of={turn}
        fallback={(reason) => <TurnFault turn={turn} reason={reason} presenter={presenter} />}
      >
        <TurnView {...props} />
      </FaultBoundary>
    ),
    Object.values(props),
  );
}

function TurnView(props: TurnProps): VNode {
  const { turn, turnState, stream } = props;
  const isOpen = props.isLast && (turnState === 'running' || turnState === 'waiting');
  const waiting = [
    ...(isOpen ? waitingCalls(turn, props.calls, props.decided) : []),
    ...(props.isLast ? childrenWaiting(props.crew, props.decided) : []),
  ];
  const common = { props, isOpen, waiting };
  return (
    <article
      role="article"
      class="turn"
      data-turn-id={turn.turn_id}
      data-state={props.isCutOff ? undefined : turnState}
      aria-label={labelOf(turn)}
    >
      {/* For those who go from heading to heading; what the model calls a heading is below it. */}
      <h2 class="unseen" aria-label={labelOf(turn)} />
      {turn.prompt !== null && (
        <PromptBox prompt={turn.prompt} turnId={turn.turn_id} presenter={props.presenter} />
      )}
      {turn.fold.evidence.plan === null && props.plan !== null && (
        <PlanView steps={props.plan.steps} isOpen={isOpen} />
      )}
      <Strays ids={strayIds(props.strays)} {...crewPropsOf(props)} />
      {withRuns(drawnEntries(turn, stream)).map((one) =>
        'kind' in one ? (
          <RunView key={one.key} run={one} {...common} />
        ) : (
          <EntryView key={one.key} entry={one.entry} live={one.live} {...common} />
        ),
      )}
      <ChildQuestions
        waiting={waiting}
        locked={props.locked}
        turnId={turn.turn_id}
        presenter={props.presenter}
      />
      {!props.isCutOff && <StateLine {...props} waiting={waiting} />}
    </article>
  );
}

const LABEL_CHARS = 80;

function labelOf(turn: Turn): string {
  const text = turn.prompt?.text ?? '';
  return text === '' ? t('Turn') : t('Turn: {0}', firstCharacters(text, LABEL_CHARS));
}

interface Common {
  readonly props: TurnProps;
  readonly isOpen: boolean;
  readonly waiting: readonly WaitingCall[];
}

interface EntryProps extends Common {
  readonly entry: Entry;
  /** Still streaming in. */
  readonly live: boolean;
}

function crewPropsOf({ crew, sight, sessionId, locked, presenter }: TurnProps): CrewProps {
  return { crew, sight, sessionId, locked, presenter };
}

/** Made only for who opens them. */
function RunCalls({ run, ...common }: Common & { readonly run: AgentRun }): VNode {
  return (
    <>
      {run.calls.map((call) => (
        <EntryView key={call.call_id} entry={call} live={false} {...common} />
      ))}
    </>
  );
}

function RunView({ run, ...common }: Common & { readonly run: AgentRun }): VNode {
  return (
    <AgentList
      ids={run.agents.map(({ subagent_id }) => subagent_id)}
      isOpen={common.isOpen}
      calls={<RunCalls run={run} {...common} />}
      {...crewPropsOf(common.props)}
    />
  );
}

/** The plan is shown once, where it first came; the calls that brought it on are not lines of their own. */
function isPlan(entry: CallEntry): boolean {
  const { name, state, result } = entry;
  return name === 'update_plan' && (result === null ? state !== 'suspended' : result.ok);
}

function PlanOf({
  entry,
  props,
  isOpen,
}: {
  entry: CallEntry;
  props: TurnProps;
  isOpen: boolean;
}): VNode | null {
  const { plan } = props.turn.fold.evidence;
  const first = props.turn.entries.find((one) => one.kind === 'call' && isPlan(one));
  return plan === null || first !== entry ? null : <PlanView steps={plan} isOpen={isOpen} />;
}

function EntryView({ entry, live, props, isOpen, waiting }: EntryProps): VNode {
  switch (entry.kind) {
    case 'text':
      return (
        <AnswerText
          seq={live ? undefined : entry.seq}
          text={entry.text}
          partial={entry.partial}
          cut={entry.cut}
          live={live}
          presenter={props.presenter}
        />
      );
    case 'thought':
      return (
        <Thought
          seq={live ? undefined : entry.seq}
          summary={entry.summary}
          ms={entry.ms}
          live={live}
          presenter={props.presenter}
        />
      );
    case 'call':
      if (isPlan(entry)) return <PlanOf entry={entry} props={props} isOpen={isOpen} />;
      return (
        <CallLine
          call={liveCall(props.calls, entry)}
          turnId={props.turn.turn_id}
          changed={props.turn.fold.evidence.changes.some((one) => one.call_id === entry.call_id)}
          isOpen={isOpen}
          isOver={!isOpen && !props.isCutOff}
          waiting={waiting}
          locked={props.locked}
          presenter={props.presenter}
        />
      );
    case 'mark':
      return <MarkLine mark={entry} presenter={props.presenter} />;
    case 'checkpoint':
      return <CheckpointLine checkpoint={entry} presenter={props.presenter} />;
    case 'branch':
      return <BranchLine branch={entry} presenter={props.presenter} />;
    case 'agent':
    case 'workflow': {
      const isAsking = waiting.some(({ call, asker }) => asker === null && call.call_id === entry.call_id);
      return <MemberCard entry={entry} isAsking={isAsking} {...crewPropsOf(props)} />;
    }
    default:
      return unreachable(entry);
  }
}
