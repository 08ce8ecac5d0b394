import type { ButtonHTMLAttributes, VNode } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { PressGuard, type Point } from './press-guard.ts';

const guard = new PressGuard<Element>();
let pointer: Point | null = null;

type Props = Omit<ButtonHTMLAttributes, 'type' | 'onClick' | 'onKeyDown'> & {
  readonly press: () => void;
};

/** A button that cannot be taken back: only a press that was meant for it counts, and a held key is one press. */
export function DecidingButton({ press, ...rest }: Props): VNode {
  return (
    <button
      {...rest}
      type="button"
      data-decides
      onClick={({ detail, timeStamp }) => guard.isMeant(detail, timeStamp) && press()}
      onKeyDown={(event) => event.repeat && event.key === 'Enter' && event.preventDefault()}
    />
  );
}

/**
 * Tells the guard what the person and the page do.
 * @param content changes whenever what is shown does
 */
export function usePressGuard(content: unknown): void {
  useLayoutEffect(() => {
    if (pointer !== null) guard.contentMoved(pointer, decidingAt(pointer), performance.now());
  }, [content]);
  useEffect(() => {
    const move = ({ clientX: x, clientY: y, target }: PointerEvent): void => {
      pointer = { x, y };
      guard.pointerMoved(pointer, target instanceof Element ? decidingOf(target) : null);
    };
    const leave = (): void => {
      pointer = null;
    };
    const { documentElement } = document;
    // A finger comes down without having moved there.
    for (const type of ['pointermove', 'pointerdown'] as const) window.addEventListener(type, move, true);
    documentElement.addEventListener('pointerleave', leave);
    return () => {
      for (const type of ['pointermove', 'pointerdown'] as const)
        window.removeEventListener(type, move, true);
      documentElement.removeEventListener('pointerleave', leave);
    };
  }, []);
}

function decidingAt({ x, y }: Point): Element | null {
  const element = document.elementFromPoint(x, y);
  return element === null ? null : decidingOf(element);
}

function decidingOf(element: Element): Element | null {
  return element.closest('[data-decides]');
}
