/** Something Ledgerline promises about what can be seen at some moment. */
export interface Promised<V> {
  readonly says: string;
  /** How it is broken; null when it holds. */
  readonly broken: (view: V) => string | null;
}

export class PromiseBroken extends Error {
  override readonly name = 'PromiseBroken';
}

export function hold<V>(promises: readonly Promised<V>[], view: V): void {
  for (const { says, broken } of promises) {
    const how = broken(view);
    if (how !== null) throw new PromiseBroken(`${says}: ${how}`);
  }
}

/** The first trouble among many, for promises about each of several things. */
export function first<T>(things: Iterable<T>, trouble: (thing: T) => string | null): string | null {
  for (const thing of things) {
    const how = trouble(thing);
    if (how !== null) return how;
  }
  return null;
}
