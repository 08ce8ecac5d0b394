/** Where a reader is in a box that scrolls, by what is at its top edge: that stays when things change around it. */

export interface Anchor {
  readonly element: Element;
  /** Of the element's top from the box's top, in pixels. */
  readonly offset: number;
}

/** The first part of the first turn in view: a turn may grow at both of its ends. */
export function anchorIn(box: HTMLElement): Anchor | null {
  const edge = box.getBoundingClientRect().top;
  const turn = firstBelow(box, edge);
  const entry = turn === null ? null : (firstBelow(turn.element, edge) ?? turn);
  const part = entry === null ? null : (stretchIn(entry.element, edge) ?? entry);
  return part === null ? null : { element: part.element, offset: part.rect.top - edge };
}

/** A long answer is drawn in stretches, its end first. */
function stretchIn(entry: Element, edge: number): Found | null {
  return firstOf(entry.querySelectorAll('.stretch'), edge);
}

/** How far the anchor has moved on screen since; null when it is gone. */
export function movedBy(box: HTMLElement, { element, offset }: Anchor): number | null {
  if (!element.isConnected) return null;
  return element.getBoundingClientRect().top - box.getBoundingClientRect().top - offset;
}

interface Found {
  readonly element: Element;
  readonly rect: DOMRect;
}

function firstBelow(parent: Element, edge: number): Found | null {
  return firstOf(parent.children, edge);
}

function firstOf(elements: Iterable<Element>, edge: number): Found | null {
  for (const element of elements) {
    // What loads more comes and goes with what it loads, and a heading that nobody sees is at no place.
    if (element.matches('.more, .unseen')) continue;
    const rect = element.getBoundingClientRect();
    if (rect.bottom > edge) return { element, rect };
  }
  return null;
}
