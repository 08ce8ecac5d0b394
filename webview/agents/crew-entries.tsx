import type { VNode } from 'preact';
import { DecideAll } from '../decide-all.tsx';
import { DecisionCard } from '../decision-card.tsx';
import { t } from '../l10n.ts';
import type { Presenter } from '../presenter.ts';
import { decidableTogether, othersOfRound, undecided, type WaitingCall } from '../waiting-calls.ts';
import { AgentInTurn, AgentList, type CrewProps } from './agent-list.tsx';
import { HANDFUL } from './agent-runs.ts';
import { childrenWaiting } from './child-waiting.ts';
import type { MemberEntry } from './placing.ts';
import { strayIds } from './strays.ts';
import { WorkflowCard } from './workflow-card.tsx';

interface MemberProps extends CrewProps {
  readonly entry: MemberEntry;
  /** The call that it came from waits for a person. */
  readonly isAsking: boolean;
}

/** A child or a workflow, where it was asked for. */
export function MemberCard({ entry, isAsking, ...rest }: MemberProps): VNode {
  return entry.kind === 'agent' ? (
    <AgentInTurn id={entry.subagent_id} {...rest} />
  ) : (
    <WorkflowCard id={entry.workflow_id} isAsking={isAsking} {...rest} />
  );
}

/** Children at work that were asked for before what is shown. */
export function Strays({ ids, ...rest }: CrewProps & { readonly ids: readonly string[] }): VNode | null {
  if (ids.length === 0) return null;
  if (ids.length > HANDFUL) return <AgentList ids={ids} isOpen={true} calls={null} {...rest} />;
  return (
    <>
      {ids.map((id) => (
        <AgentInTurn key={id} id={id} {...rest} />
      ))}
    </>
  );
}

interface LooseProps extends CrewProps {
  readonly names: string;
  readonly decided: readonly string[];
}

/** Where no turn is shown that could have them: what is at work, and what it asks. */
export function LooseCrew({ names, decided, ...rest }: LooseProps): VNode {
  const { crew, locked, presenter } = rest;
  const waiting = childrenWaiting(crew, decided);
  return (
    <>
      <Strays ids={strayIds(names)} {...rest} />
      <ChildQuestions waiting={waiting} locked={locked} turnId={NO_TURN} presenter={presenter} />
    </>
  );
}

/** What a child asks is found by itself. */
const NO_TURN = 'none';

interface QuestionsProps {
  /** All that wait, those of the turn itself among them. */
  readonly waiting: readonly WaitingCall[];
  readonly locked: string | null;
  readonly turnId: string;
  readonly presenter: Presenter;
}

/** What children ask, at the end of the turn: there it stays in view while the parent goes on. */
export function ChildQuestions({ waiting, locked, turnId, presenter }: QuestionsProps): VNode | null {
  const asked = waiting.filter(({ asker }) => asker !== null);
  if (asked.length === 0) return null;
  const together = decidableTogether(waiting);
  const last = together.at(-1);
  return (
    <div class="child-questions" role="list" aria-label={t('Asked by agents')}>
      {asked.map((one) => (
        <div key={one.suspension.id} role="listitem">
          <DecisionCard
            waiting={one}
            others={othersOfRound(waiting, one)}
            isPrimary={undecided(waiting)[0] === one}
            locked={locked}
            turnId={turnId}
            presenter={presenter}
          />
        </div>
      ))}
      {last !== undefined && last.asker !== null && (
        <DecideAll approvals={together} locked={locked} presenter={presenter} />
      )}
    </div>
  );
}
