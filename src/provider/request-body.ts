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
}

export interface FunctionTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly strict: boolean;
}

/** A pure function of the request: the same request gives the same bytes, everywhere and always. */
export function requestBody(request: ModelRequest): RequestBody {
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
  };
}
