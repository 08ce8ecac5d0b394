/** How long something has to lie under a resting pointer before a click can be meant for it. */
const SETTLING_MS = 500;

/** A resting hand trembles, also between the clicks of a double click: so much is no way to anywhere. */
const AT_REST_PX = 8;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * Whether a click was meant for what it hit. What came under a pointer that rested was not aimed at: the click may
 * have been for what was there before. Times are milliseconds of whatever clock the caller has.
 */
export class PressGuard<Control> {
  private under: Control | null = null;
  /** Where the pointer was when something else came under it, and when. */
  private came: (Point & { readonly at: number }) | null = null;

  /** The person moved the pointer. */
  pointerMoved(point: Point, under: Control | null): void {
    this.under = under;
    if (this.came !== null && distance(this.came, point) > AT_REST_PX) this.came = null;
  }

  /** What is shown changed, and this lies under the pointer now. */
  contentMoved(point: Point, under: Control | null, at: number): void {
    if (under === this.under) return;
    this.under = under;
    this.came = { ...point, at };
  }

  /** @param detail how many clicks followed each other, as browsers count them; none for the keyboard's */
  isMeant(detail: number, at: number): boolean {
    if (detail === 0) return true;
    return detail === 1 && (this.came === null || at - this.came.at >= SETTLING_MS);
  }
}

function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}
