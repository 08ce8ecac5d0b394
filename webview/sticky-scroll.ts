import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Heading } from './state.ts';
import { anchorIn, movedBy, type Anchor } from './reader-place.ts';

/** How near the end still counts as the end: a fraction of a line, and the rounding of zoomed pixels. */
const NEAR_PX = 24;

/** Where the end of a conversation is: in what is shown, or after it. An empty one has none, and is read from its top. */
export type End = 'shown' | 'elsewhere' | 'none';

/** Of what is there, this much is seen above the room for what comes. */
const LAST_WORDS_PX = 80;

interface Shown {
  /** Changes whenever what is shown does. */
  readonly content: unknown;
  /** Elsewhere, the bottom of what is shown is just a place. */
  readonly end: End;
  /** Changes when something is put before the rest or taken away there. */
  readonly firstKey: number;
  /** The turn at the end, or a child, goes on when somebody decides. */
  readonly waits: boolean;
  /** Is told when the reader leaves the end or comes back, and when they turn round. */
  readonly onMove: (away: boolean, heading: Heading) => void;
}

export interface StickyScroll {
  readonly box: RefObject<HTMLDivElement | null>;
  /** Empty, at the end of the box. */
  readonly room: RefObject<HTMLDivElement | null>;
  readonly hasNewBelow: boolean;
  readonly toBottom: () => void;
}

interface Place {
  /** The end is followed. */
  readonly atBottom: boolean;
  /** Only as far as the first call that waits, until the reader moves on. */
  readonly held: boolean;
  readonly top: number;
  readonly height: number;
  /** How high all of it was when the reader last moved, or opened something. */
  readonly seen: number;
  readonly anchor: Anchor | null;
  readonly heading: Heading;
}

type Stance = Pick<Place, 'atBottom' | 'held' | 'heading'> & {
  /** Whether it was the reader who moved, and not what is read. */
  readonly byReader?: boolean;
};

const AT_END: Place = {
  atBottom: true,
  held: false,
  top: 0,
  height: 0,
  seen: 0,
  anchor: null,
  heading: 'back',
};

/** The keyboard is in a field of the log: whatever comes below, that stays in view. */
function isTypingIn(element: HTMLDivElement): boolean {
  const { activeElement } = document;
  return (
    activeElement !== null &&
    element.contains(activeElement) &&
    activeElement.matches('input, textarea, select')
  );
}

/** As far as the first call that waits, which is not to be passed unseen; else to the end. */
function follow(element: HTMLDivElement, held: boolean): void {
  element.scrollTop = element.scrollHeight;
  if (!held) return;
  const card = element.querySelector('.decision[data-standing="open"]');
  (card?.closest('.call') ?? card)?.scrollIntoView({ block: 'nearest' });
}

/**
 * What goes from the end leaves its room to what comes there: nothing moves because a card is settled or the output of a
 * command is folded away.
 */
function keepHeight(element: HTMLDivElement, room: HTMLDivElement | null, before: number): void {
  if (room === null) return;
  const { clientHeight, scrollHeight } = element;
  const gone = before - (scrollHeight - room.offsetHeight);
  // Where all of it is in view, nothing moves anyway; and the last words stay in view.
  const most = before > clientHeight ? Math.max(0, clientHeight - LAST_WORDS_PX) : 0;
  const kept = Math.min(Math.max(0, gone), most);
  if (kept !== room.offsetHeight) room.style.height = `${kept}px`;
}

/** What the reader has scrolled since the anchor was taken is no shift of the content. */
function keepPlace(element: HTMLDivElement, anchor: Anchor, top: number): void {
  const shift = movedBy(element, anchor);
  if (shift === null) return;
  const below = element.scrollHeight - element.clientHeight - element.scrollTop;
  // Nor is it the reader who moves when the content becomes too short for where they were.
  const scrolled = below < 1 && element.scrollTop < top ? 0 : element.scrollTop - top;
  if (shift + scrolled !== 0) element.scrollTop += shift + scrolled;
}

/** Follows the end only while the reader is there and does not write above it, and keeps the reader's place otherwise. */
export function useStickyScroll({ content, end, firstKey, waits, onMove }: Shown): StickyScroll {
  const box = useRef<HTMLDivElement>(null);
  const room = useRef<HTMLDivElement>(null);
  const place = useRef<Place>(AT_END);
  const known = useRef({ firstKey, end, waits });
  const [hasNewBelow, setHasNewBelow] = useState(false);

  const settle = useCallback((element: HTMLDivElement, stance: Stance) => {
    const { atBottom, held, heading, byReader = false } = stance;
    const last = place.current;
    if (last.atBottom !== atBottom || last.heading !== heading) onMove(!atBottom, heading);
    const { scrollTop: top, scrollHeight: height } = element;
    // Who is at the end needs no anchor, and pays for none while text streams in.
    const anchor = atBottom ? null : anchorIn(element);
    const seen = atBottom || byReader ? height : last.seen;
    place.current = { atBottom, held, top, height, seen, anchor, heading };
    if (atBottom) setHasNewBelow(false);
  }, []);

  const stayAtEnd = useCallback((held: boolean) => {
    const element = box.current;
    if (element === null) return;
    if (known.current.end === 'none') element.scrollTop = 0;
    else follow(element, held);
    settle(element, { atBottom: true, held, heading: 'back' });
  }, []);

  const toBottom = useCallback(() => {
    if (room.current !== null) room.current.style.height = '0';
    stayAtEnd(known.current.waits);
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const { top, height, anchor } = place.current;
    const sameStart = known.current.firstKey === firstKey && known.current.end === end;
    // Then it is the browser that has moved the reader.
    const shrunk = element.scrollHeight < height;
    if (place.current.atBottom) keepHeight(element, room.current, sameStart ? height : 0);
    const grown = element.scrollHeight - height;
    // A reader who has just moved up is not there any more, though the browser has not told of it yet.
    const hasLeft = !shrunk && grown >= 0 && element.scrollTop < top - NEAR_PX;
    const follows = end === 'shown' && place.current.atBottom && !hasLeft && !isTypingIn(element);
    const atBottom = end === 'none' || follows;
    const held = follows && waits && (place.current.held || !known.current.waits);
    if (follows) follow(element, held);
    else if (!atBottom && anchor !== null) keepPlace(element, anchor, top);
    // Who has just left the end has no anchor yet; what was put before the rest has moved it by as much.
    else if (hasLeft && known.current.firstKey !== firstKey) element.scrollTop += grown;
    // A line that wraps in what is being read is no news.
    const isNews = grown > 0 && element.scrollHeight - place.current.seen > NEAR_PX;
    if (!atBottom && isNews && sameStart && end === 'shown') setHasNewBelow(true);
    known.current = { firstKey, end, waits };
    settle(element, { atBottom, held, heading: place.current.heading });
  }, [content, firstKey, end]);

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const onScroll = (event: Event): void => {
      const below = element.scrollHeight - element.scrollTop - element.clientHeight;
      const { top, heading, held } = place.current;
      const moved = element.scrollTop - top;
      // Not the reader, but what waits, kept the view from the end.
      if (event.type === 'scroll' && held && Math.abs(moved) < 1) return;
      const towards = Math.abs(moved) < 1 ? heading : moved < 0 ? 'back' : 'forward';
      const { end: now } = known.current;
      const atBottom = now === 'none' || (now === 'shown' && below < NEAR_PX);
      settle(element, { atBottom, held: false, heading: towards, byReader: true });
    };
    const onResize = (): void => {
      const { atBottom, held } = place.current;
      if (atBottom && known.current.end === 'shown' && !isTypingIn(element)) stayAtEnd(held);
    };
    const onGrown = (): void => {
      if (element.scrollTop >= place.current.top - NEAR_PX) onResize();
    };
    const resized = new ResizeObserver(onResize);
    element.addEventListener('scroll', onScroll, { passive: true });
    // Opening a line in place moves the end away from a reader who was there.
    element.addEventListener('toggle', onScroll, true);
    element.addEventListener('grown', onGrown, true);
    resized.observe(element);
    return () => {
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('toggle', onScroll, true);
      element.removeEventListener('grown', onGrown, true);
      resized.disconnect();
    };
  }, []);

  return { box, room, hasNewBelow, toBottom };
}
