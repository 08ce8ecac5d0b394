import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Heading } from './state.ts';
import { anchorIn, movedBy, type Anchor } from './reader-place.ts';

/** How near the end still counts as the end: a fraction of a line, and the rounding of zoomed pixels. */
const NEAR_PX = 24;

export interface StickyScroll {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly hasNewBelow: boolean;
  readonly toBottom: () => void;
}

interface Place {
  readonly atBottom: boolean;
  readonly top: number;
  readonly height: number;
  readonly anchor: Anchor | null;
  readonly heading: Heading;
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

/**
 * Follows the end only while the reader is there, and keeps the reader's place otherwise.
 * @param content changes whenever what is shown does
 * @param hasEnd what is shown goes to the end; otherwise its bottom is just a place
 * @param firstKey changes when something is put before the rest or taken away there
 * @param onMove is told when the reader leaves the end or comes back, and when they turn round
 */
export function useStickyScroll(
  content: unknown,
  hasEnd: boolean,
  firstKey: number,
  onMove: (away: boolean, heading: Heading) => void,
): StickyScroll {
  const box = useRef<HTMLDivElement>(null);
  const place = useRef<Place>({ atBottom: true, top: 0, height: 0, anchor: null, heading: 'back' });
  const known = useRef({ firstKey, hasEnd });
  const [hasNewBelow, setHasNewBelow] = useState(false);

  const settle = useCallback((element: HTMLDivElement, atBottom: boolean, heading: Heading) => {
    const last = place.current;
    if (last.atBottom !== atBottom || last.heading !== heading) onMove(!atBottom, heading);
    const { scrollTop: top, scrollHeight: height } = element;
    // Who is at the end needs no anchor, and pays for none while text streams in.
    place.current = { atBottom, top, height, anchor: atBottom ? null : anchorIn(element), heading };
    if (atBottom) setHasNewBelow(false);
  }, []);

  const toBottom = useCallback(() => {
    const element = box.current;
    if (element === null) return;
    element.scrollTop = element.scrollHeight;
    settle(element, true, 'back');
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const { top, height, anchor } = place.current;
    const grown = element.scrollHeight - height;
    // A reader who has just moved up is not there any more, though the browser has not told of it yet.
    const hasLeft = grown >= 0 && element.scrollTop < top - NEAR_PX;
    const atBottom = hasEnd && place.current.atBottom && !hasLeft;
    if (atBottom) element.scrollTop = element.scrollHeight;
    else if (anchor !== null) keepPlace(element, anchor, top);
    // Who has just left the end has no anchor yet; what was put before the rest has moved it by as much.
    else if (hasLeft && known.current.firstKey !== firstKey) element.scrollTop += grown;
    const sameStart = known.current.firstKey === firstKey && known.current.hasEnd === hasEnd;
    if (!atBottom && grown > 0 && sameStart && hasEnd) setHasNewBelow(true);
    known.current = { firstKey, hasEnd };
    settle(element, atBottom, place.current.heading);
  }, [content, firstKey, hasEnd]);

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const onScroll = (): void => {
      const below = element.scrollHeight - element.scrollTop - element.clientHeight;
      const { top, heading } = place.current;
      const moved = element.scrollTop - top;
      const towards = Math.abs(moved) < 1 ? heading : moved < 0 ? 'back' : 'forward';
      settle(element, known.current.hasEnd && below < NEAR_PX, towards);
    };
    const resized = new ResizeObserver(() => {
      if (place.current.atBottom) toBottom();
    });
    element.addEventListener('scroll', onScroll, { passive: true });
    // Opening a line in place moves the end away from a reader who was there.
    element.addEventListener('toggle', onScroll, true);
    resized.observe(element);
    return () => {
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('toggle', onScroll, true);
      resized.disconnect();
    };
  }, []);

  return { box, hasNewBelow, toBottom };
}
