import type { ProviderErrorKind } from '../runtime/provider-errors.ts';
import { isObject, stringAt } from './json-values.ts';

/** An error as the API words it, in an HTTP body, in an `error` event or in a failed response. */
export interface ApiError {
  readonly code: string | null;
  readonly type: string | null;
  readonly message: string;
}

/** Codes (and types, where servers use these instead) whose meaning does not depend on where they appear. */
const KIND_OF_CODE: Readonly<Record<string, ProviderErrorKind>> = {
  rate_limit_exceeded: 'rate_limited',
  rate_limit_error: 'rate_limited',
  too_many_requests: 'rate_limited',
  insufficient_quota: 'quota_exceeded',
  billing_hard_limit_reached: 'quota_exceeded',
  billing_not_active: 'quota_exceeded',
  usage_limit_reached: 'quota_exceeded',
  usage_not_included: 'quota_exceeded',
  server_error: 'server_error',
  internal_error: 'server_error',
  internal_server_error: 'server_error',
  server_is_overloaded: 'server_error',
  overloaded_error: 'server_error',
  service_unavailable: 'server_error',
  slow_down: 'server_error',
  upstream_error: 'server_error',
  vector_store_timeout: 'server_error',
  context_length_exceeded: 'context_overflow',
  context_window_exceeded: 'context_overflow',
  exceed_context_size_error: 'context_overflow',
  context_exceeded: 'context_overflow',
  invalid_encrypted_content: 'reasoning_rejected',
  invalid_api_key: 'auth',
  authentication_error: 'auth',
  permission_error: 'forbidden',
  unsupported_country_region_territory: 'forbidden',
  model_not_found: 'model_not_found',
  content_filter: 'content_filter',
  content_policy_violation: 'content_filter',
  image_content_policy_violation: 'content_filter',
  bio_policy: 'content_filter',
  cyber_policy: 'content_filter',
  misalignment_policy_violation: 'content_filter',
  invalid_prompt: 'invalid_request',
  data_residency_mismatch: 'invalid_request',
  invalid_request_error: 'invalid_request',
};

/** The API also rejects stale reasoning without a code; these are its words. */
const ENCRYPTED_CONTENT = /\bencrypted[ _]content\b.*\b(?:could not be|cannot be|is invalid|mismatch)/isu;

/** Nor has it always a code for an image, such as one for a model that takes none. */
const IMAGE = /\b(?:input_image|image_url|image data|image inputs?|images? (?:is|are) not supported)\b/iu;

/** What a code says by itself, or null when it says nothing we know. The code is more precise than the type. */
export function kindOfCode(error: ApiError): ProviderErrorKind | null {
  const byCode = lookUp(error.code);
  if (byCode !== null && byCode !== 'invalid_request') return byCode;
  if (ENCRYPTED_CONTENT.test(error.message)) return 'reasoning_rejected';
  if (/image/u.test(error.code ?? '') || IMAGE.test(error.message)) return 'image_rejected';
  return byCode ?? lookUp(error.type);
}

function lookUp(code: string | null): ProviderErrorKind | null {
  return code !== null && Object.hasOwn(KIND_OF_CODE, code) ? (KIND_OF_CODE[code] ?? null) : null;
}

/** Reads `{error: {...}}`, `{error: "..."}`, or the error itself; servers do all three. Null: no error in it. */
export function apiErrorIn(value: unknown): ApiError | null {
  if (!isObject(value)) return null;
  if (typeof value.error === 'string') {
    return { code: stringAt(value, 'code'), type: stringAt(value, 'type'), message: value.error };
  }
  const holder = isObject(value.error) ? value.error : value;
  const message = stringAt(holder, 'message') ?? stringAt(holder, 'detail');
  const code = codeOf(holder.code);
  const type = stringAt(holder, 'type');
  if (message === null && code === null) return null;
  return { code, type: type === 'error' ? null : type, message: message ?? code ?? '' };
}

/** Some servers send the HTTP status as a number where the API has a word. */
function codeOf(code: unknown): string | null {
  return typeof code === 'string' && code !== '' ? code : typeof code === 'number' ? String(code) : null;
}
