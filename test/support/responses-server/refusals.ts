import type { ApiErrorBody } from './reply.ts';

/** A request that the API would refuse. */
export interface Refusal {
  readonly status: number;
  readonly error: ApiErrorBody;
}

type Json = Readonly<Record<string, unknown>>;

export function refusal(message: string, param: string | null, code: string | null = null): Refusal {
  return { status: 400, error: { message, type: 'invalid_request_error', param, code } };
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
