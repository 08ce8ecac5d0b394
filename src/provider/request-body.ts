import type { ModelRequest } from '../runtime/ports.ts';
import type { InputItem } from '../runtime/replay/items.ts';

/** The body of `POST /responses`. Its key order is part of the contract: the bytes are stable. */
export interface RequestBody {
  readonly model: string;
  readonly instructions: string;
  readonly input: readonly InputItem[];
  readonly tools: readonly FunctionTool[];
  readonly tool_choice?: 'auto';
  readonly parallel_tool_calls: true;
  readonly store: false;
  readonly include: readonly ['reasoning.encrypted_content'];
  readonly stream: true;
  readonly prompt_cache_key: string;
  readonly reasoning?: { readonly effort: string; readonly summary: 'auto' };
  readonly text?: { readonly format: JsonSchemaFormat };
  readonly prompt_cache_options?: { readonly comparison_response_id: string };
}

export interface JsonSchemaFormat {
  readonly type: 'json_schema';
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly strict: true;
}

/** The same over a socket, where everything is a stream. */
export type ResponseCreate = Omit<RequestBody, 'stream'> & {
  readonly type: 'response.create';
  readonly previous_response_id?: string;
};

export interface FunctionTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly strict: boolean;
}

/**
 * A pure function of the request: the same request gives the same bytes, everywhere and always. Only the response that
 * the prompt cache is compared with comes from elsewhere, where there is one.
 */
export function requestBody(request: ModelRequest, comparison: string | null = null): RequestBody {
  const { text_format } = request;
  return {
    model: request.model,
    instructions: request.instructions,
    input: request.input,
    tools: request.tools.map(({ name, description, parameters, strict = true }) => ({
      type: 'function',
      name,
      description,
      parameters,
      strict,
    })),
    ...(request.tools.length === 0 ? {} : { tool_choice: 'auto' }),
    parallel_tool_calls: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    stream: true,
    prompt_cache_key: request.prompt_cache_key,
    ...(request.reasoning_effort === null
      ? {}
      : { reasoning: { effort: request.reasoning_effort, summary: 'auto' } }),
    ...(text_format === undefined
      ? {}
      : { text: { format: { type: 'json_schema', ...text_format, strict: true } } }),
    ...(comparison === null ? {} : { prompt_cache_options: { comparison_response_id: comparison } }),
  };
}

export function responseCreate(
  { stream: _implied, ...body }: RequestBody,
  continued: { readonly previous_response_id: string; readonly input: readonly InputItem[] } | null,
): ResponseCreate {
  if (continued === null) return { type: 'response.create', ...body };
  const { previous_response_id, input } = continued;
  return { type: 'response.create', ...body, previous_response_id, input };
}
