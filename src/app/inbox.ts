/** Carries out what is asked one after the other, whatever becomes of it; what takes long goes on beside the rest. */
export class Inbox {
  private last: Promise<void> = Promise.resolve();
  private besides: Promise<unknown> = Promise.resolve();

  constructor(private readonly onError: (error: unknown) => void) {}

  /** Never rejects: what comes after something that failed is carried out all the same. */
  inOrder(work: () => Promise<void> | undefined): Promise<void> {
    this.last = this.last.then(work).catch((error: unknown) => this.onError(error));
    return this.last;
  }

  /** Goes on while later messages are heard: one of them may be to stop it. */
  beside(work: Promise<void>): void {
    this.besides = Promise.all([this.besides, work.catch((error: unknown) => this.onError(error))]);
  }

  /** Resolves when everything so far has been answered. */
  async answered(): Promise<void> {
    await this.last;
    await this.besides;
  }
}
