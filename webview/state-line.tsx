import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ActionButtons } from './action-buttons.tsx';
import { isRecord } from './fields.ts';
import { Icon } from './icons.tsx';
import { phraseOf, STATE_LOOKS } from './turn-phrases.ts';
import type { TurnProps } from './turn-view.tsx';
import type { WaitingCall } from './waiting-calls.ts';

export function StateLine(props: TurnProps & { waiting: readonly WaitingCall[] }): VNode {
  const { turn, turnState: state, told, waiting, stopping, newsAt, isLast, presenter } = props;
  const now = useNow(state === 'running');
  const look = STATE_LOOKS[state];
  const { phrase, detail } = phraseOf({ turn, told, waiting, state, stopping, now, newsAt });
  const actions = told === null || told.actions.length === 0 ? (turn.failure?.actions ?? []) : told.actions;
  return (
    <div class="state">
      <p class="state-line" data-tone={look.tone}>
        <Icon name={look.icon} spin={state === 'running'} />
        <span>
          <span class="phrase">{phrase}</span>
          {detail !== '' && <span class="detail">{detail}</span>}
        </span>
      </p>
      {turn.failure !== null && <FailureDetails details={turn.failure.details} />}
      {isLast && state !== 'completed' && state !== 'running' && (
        <ActionButtons actions={actions} presenter={presenter} />
      )}
    </div>
  );
}

function FailureDetails({ details }: { details: unknown }): VNode | null {
  if (!isRecord(details) || Object.keys(details).length === 0) return null;
  return (
    <details class="thought">
      <summary>
        <Icon name="chevron-right" />
        <span>Details</span>
      </summary>
      <pre tabIndex={0}>{JSON.stringify(details, undefined, 2)}</pre>
    </details>
  );
}

function useNow(ticking: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!ticking) return undefined;
    // Nobody reads the clock of a page that is not in view.
    const tick = (): void => (document.hidden ? undefined : setNow(Date.now()));
    const timer = setInterval(tick, 1000);
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, [ticking]);
  return now;
}
