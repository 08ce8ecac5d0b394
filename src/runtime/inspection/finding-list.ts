const KEPT = 200;

/** Findings in the order of the log: all are counted, the first ones are kept. */
export class FindingList<F> {
  private readonly first: F[] = [];
  private all = 0;

  constructor(...lists: readonly FindingList<F>[]) {
    for (const { found, count } of lists) {
      this.first.push(...found.slice(0, KEPT - this.first.length));
      this.all += count;
    }
  }

  push(...findings: readonly F[]): void {
    this.all += findings.length;
    this.first.push(...findings.slice(0, Math.max(0, KEPT - this.first.length)));
  }

  get count(): number {
    return this.all;
  }

  get found(): readonly F[] {
    return this.first;
  }
}
