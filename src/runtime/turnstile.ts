/** Lets one piece of work in at a time, in the order in which they came. */
export class Turnstile {
  private last: Promise<unknown> = Promise.resolve();

  /** Resolves when everything that came so far is done. */
  get passed(): Promise<unknown> {
    return this.last;
  }

  enter<T>(work: () => Promise<T>): Promise<T> {
    const result = this.last.then(work, work);
    this.last = result.catch(() => undefined);
    return result;
  }
}
