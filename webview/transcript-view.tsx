import type { RefObject, VNode } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { childrenWaiting } from './agents/child-waiting.ts';
import { LooseCrew, MemberCard } from './agents/crew-entries.tsx';
import { sightOf } from './agents/shown-state.ts';
import { strays } from './agents/strays.ts';
import { BranchLine } from './branch-line.tsx';
import { CheckpointLine } from './checkpoint-line.tsx';
import { EmptyState } from './empty-state.tsx';
import { forkSession } from './fork-place.ts';
import { DrawnMore, useGradually } from './gradual-drawing.ts';
import { Icon } from './icons.tsx';
import { useKeptPlace } from './kept-place.ts';
import { t } from './l10n.ts';
import { LoadMore } from './load-more.tsx';
import { hasNews, shown } from './log-stretch.ts';
import { MarkLine } from './mark-line.tsx';
import type { Presenter } from './presenter.ts';
import { SendingPrompt } from './prompt-box.tsx';
import { crewProps, slotProps, type Moment } from './slot-props.ts';
import { isWaiting, lastTurn, type State } from './state.ts';
import { useStickyScroll } from './sticky-scroll.ts';
import type { Block } from './transcript.ts';
import { TurnSlot } from './turn-view.tsx';
import { unreachable } from './unreachable.ts';
import { undecided } from './waiting-calls.ts';

export function TranscriptView({ state, presenter }: { state: State; presenter: Presenter }): VNode {
  const { items, blocks, has_more } = shown(state);
  const first = items[0]?.seq ?? 0;
  const empty = state.session !== null && blocks.length === 0 && state.sending === null;
  const { from, to } = useGradually(blocks);
  const [grown, setGrown] = useState(0);
  const drawnMore = useCallback(() => setGrown((times) => times + 1), []);
  const asked = useMemo(
    () => undecided(childrenWaiting(state.crew, state.decided)).length > 0,
    [state.crew, state.decided],
  );
  const content = useMemo(() => ({ state }), [state, from, to, grown]);
  const { box, room, hasNewBelow, toBottom } = useStickyScroll({
    content,
    end: empty ? 'none' : state.past === null ? 'shown' : 'elsewhere',
    firstKey: firstSeq(blocks[from]) ?? first,
    waits: (isWaiting(state) || asked) && state.sending === null,
    onMove: (away, heading) => presenter.gesture({ kind: 'reader_moved', away, heading }),
  });
  const fills = useFills(box, content);
  useEffect(toBottom, [state.session?.session_id, state.sending]);
  useKeptPlace(state, presenter, box, { count: to - from, isWhole: to - from === blocks.length });
  const { lost, seen_from } = sightOf(state);
  const moment: Moment = {
    sight: useMemo(() => ({ lost, seen_from }), [lost, seen_from]),
    strays: useMemo(() => strays(state.crew, state.blocks), [state.crew, state.blocks]),
  };
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
        data-child={state.session?.parent !== undefined}
        {...forkSession(state.session?.session_id)}
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
          {blocks.slice(from, to).map((block) => draw(state, block, moment))}
        </DrawnMore.Provider>
        {lastTurn(state) === undefined && (
          <LooseCrew
            names={moment.strays}
            decided={state.decided}
            {...crewProps(state, moment)}
            presenter={presenter}
          />
        )}
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

type Drawn = Readonly<Record<string, unknown>> | null;

/**
 * Blocks as they were drawn last: one of which nothing changed is handed back as the same node, which Preact
 * passes over without looking into it. A delta so costs the same in a long conversation as in a short one.
 */
function useDrawn(presenter: Presenter): (state: State, block: Block, moment: Moment) => VNode {
  const drawn = useRef(new WeakMap<Block, { readonly props: Drawn; readonly node: VNode }>());
  return (state, block, moment) => {
    const props = changing(state, block, moment);
    const known = drawn.current.get(block);
    if (known !== undefined && isSame(known.props, props)) return known.node;
    const node = drawnBlock(state, block, moment, presenter);
    drawn.current.set(block, { props, node });
    return node;
  };
}

/** What a block shows besides itself. */
function changing(state: State, block: Block, moment: Moment): Drawn {
  if (block.kind === 'turn') return { ...slotProps(state, block, moment) };
  if (block.kind === 'mark') return { origin: state.session?.fork?.title };
  return block.kind === 'agent' || block.kind === 'workflow' ? { ...crewProps(state, moment) } : null;
}

function drawnBlock(state: State, block: Block, moment: Moment, presenter: Presenter): VNode {
  switch (block.kind) {
    case 'turn':
      return <TurnSlot key={block.turn_id} {...slotProps(state, block, moment)} presenter={presenter} />;
    case 'checkpoint':
      return <CheckpointLine key={block.seq} checkpoint={block} presenter={presenter} />;
    case 'branch':
      return <BranchLine key={block.seq} branch={block} presenter={presenter} />;
    case 'mark':
      return <MarkLine key={block.seq} mark={block} origin={state.session?.fork} presenter={presenter} />;
    case 'agent':
    case 'workflow':
      return (
        <MemberCard
          key={block.seq}
          entry={block}
          isAsking={false}
          {...crewProps(state, moment)}
          presenter={presenter}
        />
      );
    default:
      return unreachable(block);
  }
}

function isSame(one: Drawn, other: Drawn): boolean {
  if (one === null || other === null) return one === other;
  const [first, second] = [Object.values(one), Object.values(other)];
  return first.every((value, index) => value === second[index]);
}
