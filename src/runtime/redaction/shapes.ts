/** Pure: what any value of a log may be. */

/** What a pair of a name and a value calls itself. */
export function nameIn(pair: object): string | null {
  const { name, key } = { name: null, key: null, ...pair };
  return [name, key].find((one) => typeof one === 'string') ?? null;
}

export function isPlain(value: unknown): boolean {
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Also a field that is called like something that every object has. */
export function put(clean: Record<string, unknown>, name: string, value: unknown): void {
  if (value === undefined) return;
  Object.defineProperty(clean, name, { value, enumerable: true, configurable: true, writable: true });
}
