import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';

/** Keeps a text field as high as its words, up to the height that its style allows. */
export function useGrowingField(field: RefObject<HTMLTextAreaElement | null>, words: string): void {
  useLayoutEffect(() => grow(field.current), [words]);
  useEffect(() => {
    const regrow = (): void => grow(field.current);
    window.addEventListener('resize', regrow);
    return () => window.removeEventListener('resize', regrow);
  }, []);
}

function grow(field: HTMLTextAreaElement | null): void {
  if (field === null) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight}px`;
}
