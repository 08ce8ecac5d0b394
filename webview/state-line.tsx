import type { RefObject, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { ActionButtons } from './action-buttons.tsx';
import { Disclosure } from './disclosure.tsx';
import { EvidenceDetails } from './evidence-card.tsx';
import { isRecord } from './fields.ts';
import { forkPlace, lastSeq } from './fork-place.ts';
import { Icon } from './icons.tsx';
import { t } from './l10n.ts';
import { useNow } from './ticker.ts';
import { evidenceOf, evidenceWords, hasFacts, isTerminal } from './turn-evidence.ts';
import { lookOf, phraseOf, type Phrase } from './turn-phrases.ts';
import type { TurnProps } from './turn-view.tsx';
import type { WaitingCall } from './waiting-calls.ts';

/** How a turn stands and, once it is over, what it did. */
export function StateLine(props: TurnProps & { waiting: readonly WaitingCall[] }): VNode {
  const { turn, turnState: state, told, waiting, stopping, newsAt, isLast, presenter } = props;
  const now = useNow(state === 'running');
  const box = useRef<HTMLDivElement>(null);
  useGrowthTold(box, now);
  const look = lookOf(state, waiting);
  const words = phraseOf({ turn, told, waiting, state, stopping, now, newsAt });
  const actions = told === null || told.actions.length === 0 ? (turn.failure?.actions ?? []) : told.actions;
  const head = (
    <>
      <Icon name={look.icon} spin={state === 'running'} />
      <Words {...words} />
    </>
  );
  return (
    <div class="state" ref={box} {...forkPlace(lastSeq(turn))}>
      {state === 'completed' ? (
        <Evidence {...props} head={<Icon name={look.icon} />} phrase={words.phrase} tone={look.tone} />
      ) : (
        <p class="state-line" data-tone={look.tone}>
          {head}
        </p>
      )}
      {isTerminal(state) && state !== 'completed' && (
        <Evidence {...props} head={null} phrase="" tone="quiet" />
      )}
      {turn.failure !== null && <FailureDetails details={turn.failure.details} />}
      {isLast && state !== 'completed' && state !== 'running' && (
        <ActionButtons actions={actions} turnId={turn.turn_id} locked={props.locked} presenter={presenter} />
      )}
    </div>
  );
}

function Words({ phrase, detail }: Phrase): VNode {
  return (
    <span>
      <span class="phrase">{phrase}</span>
      {detail !== '' && <span class="detail">{detail}</span>}
    </span>
  );
}

interface EvidenceProps extends TurnProps {
  /** Before the words. */
  readonly head: VNode | null;
  readonly phrase: string;
  readonly tone: string;
}

/** One quiet line of facts that opens to all of them. Without a fact there is only the phrase. */
function Evidence({ turn, told, locked, presenter, head, phrase, tone }: EvidenceProps): VNode | null {
  const shown = evidenceOf(turn, told);
  const detail = evidenceWords(shown);
  const words =
    phrase === '' ? <span class="quiet">{detail}</span> : <Words phrase={phrase} detail={detail} />;
  if (phrase === '' && !hasFacts(shown)) return null;
  if (detail === '')
    return (
      <p class="state-line" data-tone={tone}>
        {head}
        {words}
      </p>
    );
  return (
    <Disclosure
      class={head === null ? 'evidence indented' : 'evidence'}
      tone={tone}
      head={
        <>
          {head}
          {words}
        </>
      }
    >
      <EvidenceDetails turn_id={turn.turn_id} shown={shown} locked={locked} presenter={presenter} />
    </Disclosure>
  );
}

function FailureDetails({ details }: { details: unknown }): VNode | null {
  if (!isRecord(details) || Object.keys(details).length === 0) return null;
  return (
    <details class="thought">
      <summary>
        <Icon name="chevron-right" />
        <span>{t('Details')}</span>
      </summary>
      <pre tabIndex={0}>{JSON.stringify(details, undefined, 2)}</pre>
    </details>
  );
}

/** Words that break onto another line as time goes by move the end away from a reader who is there. */
function useGrowthTold(box: RefObject<HTMLElement | null>, now: number): void {
  const height = useRef<number | null>(null);
  useLayoutEffect(() => {
    const grown = box.current?.offsetHeight ?? 0;
    if (height.current !== null && grown > height.current) box.current?.dispatchEvent(new Event('grown'));
    height.current = grown;
  }, [now]);
}
