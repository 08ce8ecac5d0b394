/**
 * What VS Code keeps for an extension. As there, it is kept as JSON from the moment that it is given: what does not
 * outlive a reload of the window is lost at once.
 */
export class Memory {
  private readonly kept = new Map<string, string>();

  get(key: string, otherwise?: unknown): unknown {
    const json = this.kept.get(key);
    return json === undefined ? otherwise : JSON.parse(json);
  }

  /** Throws what JSON throws, before there is a promise, as VS Code does. */
  update(key: string, value: unknown): Promise<void> {
    const json = asJson(value);
    if (json === undefined) this.kept.delete(key);
    else this.kept.set(key, json);
    return Promise.resolve();
  }

  keys(): readonly string[] {
    return [...this.kept.keys()];
  }

  setKeysForSync(): void {
    return undefined;
  }
}

/** Undefined and functions are nothing in JSON; the type of TypeScript does not say so. */
function asJson(value: unknown): string | undefined {
  return JSON.stringify(value);
}
