import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { EmptyState } from './empty-state.tsx';
import { Icon } from './icons.tsx';
import { useKeptPlace } from './kept-place.ts';
import { MarkLine } from './mark-line.tsx';
import type { Presenter } from './presenter.ts';
import { decisionsLocked, lastTurn, toldOf, turnStateOf, type State } from './state.ts';
import { useStickyScroll } from './sticky-scroll.ts';
import type { Turn } from './transcript.ts';
import { TurnSlot } from './turn-view.tsx';

const NO_CALLS = {};

export function TranscriptView({ state, presenter }: { state: State; presenter: Presenter }): VNode {
  const { box, hasNewBelow, toBottom } = useStickyScroll(state, state.items[0]?.seq ?? 0);
  useEffect(toBottom, [state.session?.session_id, state.sending]);
  useKeptPlace(state, presenter, box);
  const empty = state.session !== null && state.blocks.length === 0 && state.sending === null;
  return (
    <main class="transcript">
      <div
        class="log"
        ref={box}
        role="log"
        aria-label="Conversation"
        aria-live="off"
        aria-busy={state.session === null}
        tabIndex={0}
      >
        {state.has_more && <Earlier state={state} presenter={presenter} />}
        {empty && <EmptyState state={state} presenter={presenter} />}
        {state.blocks.map((block) =>
          block.kind === 'turn' ? (
            <TurnOf key={block.turn_id} state={state} turn={block} presenter={presenter} />
          ) : (
            <MarkLine key={block.seq} mark={block} presenter={presenter} />
          ),
        )}
        {state.sending !== null && <SendingPrompt text={state.sending.text} />}
      </div>
      {hasNewBelow && (
        <button type="button" class="pill" onClick={toBottom}>
          <Icon name="arrow-down" />
          New below
        </button>
      )}
    </main>
  );
}

/** Only the last turn gets what changes from moment to moment, so that the others are not drawn again. */
function TurnOf(props: { state: State; turn: Turn; presenter: Presenter }): VNode {
  const { state, turn, presenter } = props;
  const isLast = lastTurn(state) === turn;
  return (
    <TurnSlot
      turn={turn}
      turnState={turnStateOf(state, turn)}
      told={toldOf(state, turn)}
      stream={state.stream?.turn_id === turn.turn_id ? state.stream : null}
      calls={isLast ? state.calls : NO_CALLS}
      isLast={isLast}
      stopping={state.stopping === turn.turn_id}
      newsAt={isLast ? state.news_at : 0}
      decided={state.decided}
      locked={decisionsLocked(state)}
      presenter={presenter}
    />
  );
}

function Earlier({ state, presenter }: { state: State; presenter: Presenter }): VNode {
  const first = state.items[0]?.seq ?? 0;
  return (
    <button
      type="button"
      class="text-button earlier"
      onClick={() => presenter.post({ type: 'load_before', seq: first })}
    >
      Show earlier
    </button>
  );
}

/** Not a turn yet: the log does not have it. */
function SendingPrompt({ text }: { text: string }): VNode {
  return (
    <div class="prompt sending" aria-label="Sending">
      {text}
    </div>
  );
}
