import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/**
 * What a person opens comes into view, as far as it fits; what opens by itself leaves the reader where they are.
 * @param openings how often the person opened it
 */
export function useOpenedInView(box: RefObject<HTMLElement | null>, openings: number): void {
  useLayoutEffect(() => {
    if (openings === 0) return;
    box.current?.scrollIntoView({ block: 'nearest' });
    // As from what the browser opens by itself: the end may be further away now than the reader is.
    box.current?.dispatchEvent(new Event('toggle'));
  }, [openings]);
}
