import type { ComponentChildren, VNode } from 'preact';
import { Disclosure } from '../disclosure.tsx';
import { Icon } from '../icons.tsx';
import { t, whole } from '../l10n.ts';
import type { Presenter } from '../presenter.ts';
import { stateLook } from '../state-look.ts';
import { AgentCard, type AgentProps } from './agent-card.tsx';
import { countWords } from './agent-words.ts';
import type { Crew } from './crew.ts';
import { childState, isBusy, type Sight } from './shown-state.ts';

export interface CrewProps {
  readonly crew: Crew;
  readonly sight: Sight;
  readonly sessionId: string;
  readonly locked: string | null;
  readonly presenter: Presenter;
}

interface Props extends CrewProps {
  readonly ids: readonly string[];
  /** Their turn goes on. */
  readonly isOpen: boolean;
  /** The lines of the calls that asked for them. */
  readonly calls: ComponentChildren;
}

/** Many children, one line each, under a line that counts them. */
export function AgentList({ ids, isOpen, calls, crew, sight, ...rest }: Props): VNode {
  const states = ids.map((id) => childState(crew.children.get(id), crew.live.get(id), sight));
  const look = stateLook(overall(states));
  const counts = countWords(states);
  const words =
    ids.length === 1 ? t('1 agent: {0}', counts) : t('{0} agents: {1}', whole(ids.length), counts);
  return (
    <Disclosure
      class="agent-list"
      tone={look.tone}
      open={isOpen}
      head={
        <>
          <Icon name={look.icon} spin={look.icon === 'loading'} />
          <span>{words}</span>
        </>
      }
    >
      <ul class="agent-rows" role="list" aria-label={t('Agents')}>
        {ids.map((id, index) => (
          <li key={id}>
            <AgentCard
              subagentId={id}
              child={crew.children.get(id)}
              live={crew.live.get(id)}
              state={states[index] ?? 'unknown'}
              form="row"
              {...rest}
            />
          </li>
        ))}
      </ul>
      <Disclosure class="agent-calls" head={<span class="quiet">{t('Calls')}</span>}>
        {calls}
      </Disclosure>
    </Disclosure>
  );
}

type Shown = ReturnType<typeof childState>;

/** What most needs a look; all completed is completed. */
function overall(states: readonly Shown[]): Shown {
  if (states.includes('waiting')) return 'waiting';
  if (states.some(isBusy)) return states.includes('running') ? 'running' : 'queued';
  return states.find((state) => state !== 'completed') ?? 'completed';
}

interface OneProps extends CrewProps {
  readonly id: string;
  readonly form?: AgentProps['form'];
}

/** The card of one child, as it stands in a turn. */
export function AgentInTurn({ id, form = 'card', crew, sight, ...rest }: OneProps): VNode {
  const [child, live] = [crew.children.get(id), crew.live.get(id)];
  return (
    <AgentCard
      subagentId={id}
      child={child}
      live={live}
      state={childState(child, live, sight)}
      form={form}
      {...rest}
    />
  );
}
