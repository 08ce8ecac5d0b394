import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** How near the end still counts as the end: a fraction of a line, and the rounding of zoomed pixels. */
const NEAR_PX = 24;

export interface StickyScroll {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly hasNewBelow: boolean;
  readonly toBottom: () => void;
}

/**
 * Follows the end only while the reader is there, and keeps the reader's place otherwise.
 * @param content changes whenever what is shown does
 * @param firstKey changes when something is put before the rest
 */
export function useStickyScroll(content: unknown, firstKey: number): StickyScroll {
  const box = useRef<HTMLDivElement>(null);
  const place = useRef({ atBottom: true, top: 0, height: 0, firstKey });
  const [hasNewBelow, setHasNewBelow] = useState(false);

  const toBottom = useCallback(() => {
    const element = box.current;
    if (element === null) return;
    place.current.atBottom = true;
    element.scrollTop = element.scrollHeight;
    place.current.top = element.scrollTop;
    setHasNewBelow(false);
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const { top, height } = place.current;
    const grown = element.scrollHeight - height;
    // A reader who has just moved up is not there any more, though the browser has not told of it yet.
    const hasLeft = grown >= 0 && element.scrollTop < top - NEAR_PX;
    const atBottom = place.current.atBottom && !hasLeft;
    if (place.current.firstKey !== firstKey && !atBottom) element.scrollTop += grown;
    else if (atBottom) element.scrollTop = element.scrollHeight;
    else if (grown > 0) setHasNewBelow(true);
    place.current = { atBottom, top: element.scrollTop, height: element.scrollHeight, firstKey };
  }, [content, firstKey]);

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const onScroll = (): void => {
      const atBottom = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
      place.current.atBottom = atBottom;
      place.current.top = element.scrollTop;
      if (atBottom) setHasNewBelow(false);
    };
    const resized = new ResizeObserver(() => {
      if (!place.current.atBottom) return;
      element.scrollTop = element.scrollHeight;
      place.current.top = element.scrollTop;
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
