import type { RefObject, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/** So far from its edge a reader is still served before the edge is there. */
const AHEAD = '800px 0px';

interface Props {
  readonly label: string;
  /** Of the item at this edge; once asked for, the same is not asked for again by itself. */
  readonly seq: number;
  /** Loads by itself when it comes near; a press always does. */
  readonly byItself: boolean;
  readonly box: RefObject<HTMLDivElement | null>;
  readonly load: (seq: number) => void;
}

/** More of the log at an edge of what is shown: by itself for who scrolls, by a button for everyone else. */
export function LoadMore({ label, seq, byItself, box, load }: Props): VNode {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const element = button.current;
    if (element === null || !byItself) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        load(seq);
      },
      { root: box.current, rootMargin: AHEAD },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [seq, byItself]);
  // Where there is no more to load, the keyboard stays with what was loaded.
  useLayoutEffect(() => {
    const element = button.current;
    return () => {
      if (document.activeElement === element) box.current?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <button ref={button} type="button" class="text-button more" onClick={() => load(seq)}>
      {label}
    </button>
  );
}
