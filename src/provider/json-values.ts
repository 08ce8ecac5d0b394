/** Guards for JSON that came from outside: nothing of it is trusted before one of these said so. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

export function objectAt(value: unknown, key: string): JsonObject | null {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : null;
}

export function stringAt(value: unknown, key: string): string | null {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : null;
}

/** JSON text to a value, or null when it is not JSON (or is the JSON null, which says as little). */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
