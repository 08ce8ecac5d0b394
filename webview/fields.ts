/** Readers for values whose shape only the log knows. A field of another type counts as absent. */

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a table of ours has under words of others: never what every object inherits, as under `constructor`. */
export function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

export function stringIn(value: unknown, key: string): string | undefined {
  const field = isRecord(value) ? value[key] : undefined;
  return typeof field === 'string' ? field : undefined;
}

export function numberIn(value: unknown, key: string): number | undefined {
  const field = isRecord(value) ? value[key] : undefined;
  return typeof field === 'number' ? field : undefined;
}

export function isTrueIn(value: unknown, key: string): boolean {
  return isRecord(value) && value[key] === true;
}

export function recordIn(value: unknown, key: string): Readonly<Record<string, unknown>> | undefined {
  const field = isRecord(value) ? value[key] : undefined;
  return isRecord(field) ? field : undefined;
}

export function listIn(value: unknown, key: string): readonly unknown[] {
  const field = isRecord(value) ? value[key] : undefined;
  return Array.isArray(field) ? field : [];
}
