import type { ResponsesClientEvent } from 'openai/resources/responses/responses';
import { isList, isObject, type Refusal, refusal } from './refusals.ts';

type Fields = keyof ResponsesClientEvent.ResponseCreate;
type Fits = (value: unknown) => boolean;

const text: Fits = (value) => typeof value === 'string';
const flag: Fits = (value) => typeof value === 'boolean';
const count: Fits = (value) => typeof value === 'number';
const orNull =
  (fits: Fits): Fits =>
  (value) =>
    value === null || fits(value);
const textOrList: Fits = (value) => text(value) || isList(value);
const textOrObject: Fits = (value) => text(value) || isObject(value);

/**
 * Every field that the SDK knows of a request, and what it takes: one that the SDK does not know, or no longer has, does
 * not compile here.
 */
const FIELDS: Readonly<Record<string, Fits>> = {
  type: (value) => value === 'response.create',
  access_programs: isObject,
  background: orNull(flag),
  context_management: orNull(isList),
  conversation: orNull(textOrObject),
  generate: flag,
  image: isObject,
  include: orNull(isList),
  input: textOrList,
  instructions: orNull(text),
  max_output_tokens: orNull(count),
  max_tool_calls: orNull(count),
  metadata: orNull(isObject),
  model: text,
  moderation: orNull(isObject),
  parallel_tool_calls: orNull(flag),
  previous_response_id: orNull(text),
  prompt: orNull(isObject),
  prompt_cache_key: orNull(text),
  prompt_cache_options: isObject,
  prompt_cache_retention: orNull(text),
  reasoning: orNull(isObject),
  safety_identifier: orNull(text),
  service_tier: orNull(text),
  store: orNull(flag),
  stream: orNull(flag),
  stream_id: text,
  stream_options: orNull(isObject),
  temperature: orNull(count),
  text: isObject,
  tool_choice: textOrObject,
  tools: isList,
  top_logprobs: orNull(count),
  top_p: orNull(count),
  truncation: orNull(text),
  user: text,
} satisfies Record<Fields, Fits>;

/** What only one of the transports has. */
const NOT_OVER_SOCKET = new Set<string>(['stream', 'stream_options', 'background'] satisfies Fields[]);
const NOT_OVER_HTTP = new Set<string>(['type', 'stream_id', 'generate'] satisfies Fields[]);

export function checkFields(body: unknown, transport: 'http' | 'websocket'): Refusal | null {
  if (!isObject(body)) return refusal('We could not parse the JSON body of your request.', null);
  const elsewhere = transport === 'http' ? NOT_OVER_HTTP : NOT_OVER_SOCKET;
  for (const [name, value] of Object.entries(body)) {
    const fits = Object.hasOwn(FIELDS, name) && !elsewhere.has(name) ? FIELDS[name] : undefined;
    if (fits === undefined) return refusal(`Unknown parameter: '${name}'.`, name, 'unknown_parameter');
    if (!fits(value)) return refusal(`Invalid type for '${name}'.`, name, 'invalid_type');
  }
  if (transport === 'websocket' && body.type === undefined)
    return refusal("Missing required parameter: 'type'.", 'type', 'missing_required_parameter');
  return null;
}
