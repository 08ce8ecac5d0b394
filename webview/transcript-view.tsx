import type { RefObject, VNode } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CheckpointLine } from './checkpoint-line.tsx';
import { EmptyState } from './empty-state.tsx';
import { DrawnMore, useGradually } from './gradual-drawing.ts';
import { Icon } from './icons.tsx';
import { useKeptPlace } from './kept-place.ts';
import { t } from './l10n.ts';
import { LoadMore } from './load-more.tsx';
import { hasNews, isCutOff, shown } from './log-stretch.ts';
import { MarkLine } from './mark-line.tsx';
import type { Presenter } from './presenter.ts';
import { SendingPrompt } from './prompt-box.tsx';
import { decisionsLocked, isWaiting, lastTurn, toldOf, turnStateOf, type State } from './state.ts';
import { useStickyScroll } from './sticky-scroll.ts';
import type { Block, Turn } from './transcript.ts';
import { TurnSlot, type TurnProps } from './turn-view.tsx';
import { unreachable } from './unreachable.ts';

const NO_CALLS = {};
const NONE_DECIDED: readonly string[] = [];

export function TranscriptView({ state, presenter }: { state: State; presenter: Presenter }): VNode {
  const { items, blocks, has_more } = shown(state);
  const first = items[0]?.seq ?? 0;
  const empty = state.session !== null && blocks.length === 0 && state.sending === null;
  const { from, to } = useGradually(blocks);
  const [grown, setGrown] = useState(0);
  const drawnMore = useCallback(() => setGrown((times) => times + 1), []);
  const content = useMemo(() => ({ state }), [state, from, to, grown]);
  const { box, room, hasNewBelow, toBottom } = useStickyScroll({
    content,
    end: empty ? 'none' : state.past === null ? 'shown' : 'elsewhere',
    firstKey: firstSeq(blocks[from]) ?? first,
    waits: isWaiting(state) && state.sending === null,
    onMove: (away, heading) => presenter.gesture({ kind: 'reader_moved', away, heading }),
  });
  const fills = useFills(box, content);
  useEffect(toBottom, [state.session?.session_id, state.sending]);
  useKeptPlace(state, presenter, box, { count: to - from, isWhole: to - from === blocks.length });
  const draw = useDrawn(presenter);
  const toEnd = (): void => {
    presenter.gesture({ kind: 'end_wanted' });
    // The button goes; the keyboard stays with the conversation.
    box.current?.focus({ preventScroll: true });
    if (state.past === null) toBottom();
    // What is at the end has yet to be drawn.
    else requestAnimationFrame(toBottom);
  };
  return (
    <main class="transcript">
      <div
        class="log"
        ref={box}
        role="log"
        aria-label={t('Conversation')}
        aria-live="off"
        aria-busy={state.session === null}
        tabIndex={0}
      >
        {has_more && (
          <LoadMore
            label={t('Show earlier')}
            seq={first}
            byItself={from === 0 && state.jump === null && state.heading === 'back' && (state.away || !fills)}
            box={box}
            load={(seq) => presenter.post({ type: 'load_before', seq })}
          />
        )}
        {empty && <EmptyState state={state} presenter={presenter} />}
        <DrawnMore.Provider value={drawnMore}>
          {blocks.slice(from, to).map((block) => draw(state, block))}
        </DrawnMore.Provider>
        {state.past !== null && (
          <LoadMore
            label={t('Show later')}
            seq={items.at(-1)?.seq ?? 0}
            byItself={state.heading === 'forward' && to === blocks.length}
            box={box}
            load={(seq) => presenter.post({ type: 'load_after', seq })}
          />
        )}
        {state.sending !== null && <SendingPrompt text={state.sending.text} />}
        <div ref={room} class="room" />
      </div>
      {(hasNewBelow || state.past !== null) && (
        <button type="button" class="pill" onClick={toEnd}>
          <Icon name="arrow-down" />
          {hasNewBelow || hasNews(state) ? t('New below') : t('Jump to latest')}
        </button>
      )}
    </main>
  );
}

/** Whether there is enough to scroll in: who sees all that is loaded could not ask for more by scrolling. */
function useFills(box: RefObject<HTMLDivElement | null>, content: unknown): boolean {
  const [fills, setFills] = useState(true);
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null) setFills(element.scrollHeight >= 2 * element.clientHeight);
  }, [content]);
  return fills;
}

function firstSeq(block: Block | undefined): number | undefined {
  return block?.kind === 'turn' ? (block.prompt?.seq ?? block.entries[0]?.seq) : block?.seq;
}

type SlotProps = Omit<TurnProps, 'presenter'>;

/**
 * Blocks as they were drawn last: one of which nothing changed is handed back as the same node, which Preact
 * passes over without looking into it. A delta so costs the same in a long conversation as in a short one.
 */
function useDrawn(presenter: Presenter): (state: State, block: Block) => VNode {
  const drawn = useRef(new WeakMap<Block, { readonly props: SlotProps | null; readonly node: VNode }>());
  return (state, block) => {
    const props = block.kind === 'turn' ? slotProps(state, block) : null;
    const known = drawn.current.get(block);
    if (known !== undefined && isSame(known.props, props)) return known.node;
    const node = drawnBlock(state, block, presenter);
    drawn.current.set(block, { props, node });
    return node;
  };
}

function drawnBlock(state: State, block: Block, presenter: Presenter): VNode {
  switch (block.kind) {
    case 'turn':
      return <TurnSlot key={block.turn_id} {...slotProps(state, block)} presenter={presenter} />;
    case 'checkpoint':
      return <CheckpointLine key={block.seq} checkpoint={block} presenter={presenter} />;
    case 'mark':
      return <MarkLine key={block.seq} mark={block} presenter={presenter} />;
    default:
      return unreachable(block);
  }
}

/** Only the last turn gets what changes from moment to moment, so that the others are not drawn again. */
function slotProps(state: State, turn: Turn): SlotProps {
  const isLast = lastTurn(state) === turn;
  return {
    turn,
    turnState: turnStateOf(state, turn),
    told: toldOf(state, turn),
    plan: state.plan?.turn_id === turn.turn_id ? state.plan : null,
    stream: isLast && state.stream?.turn_id === turn.turn_id ? state.stream : null,
    calls: isLast ? state.calls : NO_CALLS,
    isLast,
    isCutOff: isCutOff(state.past, turn),
    stopping: state.stopping === turn.turn_id,
    newsAt: isLast ? state.news_at : 0,
    decided: isLast ? state.decided : NONE_DECIDED,
    locked: decisionsLocked(state),
  };
}

function isSame(one: SlotProps | null, other: SlotProps | null): boolean {
  if (one === null || other === null) return one === other;
  const [first, second] = [Object.values(one), Object.values(other)];
  return first.every((value, index) => value === second[index]);
}
