import { createOfflineProvider } from '../../src/provider/offline/offline-provider.ts';
import type { ModelRequest, ProviderEvent, ToolSpec } from '../../src/runtime/ports.ts';
import type { InputItem } from '../../src/runtime/replay/items.ts';
import { requestBody } from '../../src/provider/request-body.ts';
import { askUserTool } from '../../src/tools/ask-user.ts';
import { checkRequest } from '../support/responses-server/request-check.ts';

/** A loop around the offline model: calls are answered by `tools`, each request is checked as the API would. */

export type FakeTools = Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => string>>;

export interface Conversation {
  readonly input: readonly InputItem[];
  /** Each call as `name args`, in order. */
  readonly calls: readonly string[];
  /** The last words. */
  readonly answer: string;
}

export function user(text: string): InputItem {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

export function tool(name: string, required: readonly string[], optional: readonly string[] = []): ToolSpec {
  const names = [...required, ...optional];
  const properties = Object.fromEntries(
    names.map((one) => [one, { type: required.includes(one) ? 'string' : ['string', 'null'] }]),
  );
  return {
    name,
    description: name,
    effect: 'read',
    parameters: { type: 'object', properties, required: names, additionalProperties: false },
  };
}

export const TOOLS: readonly ToolSpec[] = [
  // As it is built: the one whose schema is not strict.
  askUserTool().spec,
  tool('edit_file', ['path', 'old_text', 'new_text'], ['replace_all']),
  tool('list_files', [], ['path', 'glob']),
  tool('read_file', ['path'], ['start_line', 'end_line']),
  tool('run_command', ['command'], ['timeout_s']),
  tool('search_text', ['pattern'], ['path', 'glob', 'regex']),
  tool('spawn_agent', ['task'], ['agent', 'timeout_ms']),
  tool('wait_agent', [], ['ids', 'timeout_ms']),
  tool('write_file', ['path', 'content']),
];

export function offlineRequest(
  input: readonly InputItem[],
  tools: readonly ToolSpec[] = TOOLS,
): ModelRequest {
  return {
    model: 'offline',
    instructions: 'x',
    tools,
    input,
    prompt_cache_key: 'x',
    reasoning_effort: null,
  };
}

export async function offlineEvents(
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ProviderEvent[]> {
  const events: ProviderEvent[] = [];
  const provider = createOfflineProvider({ sleep: async () => undefined });
  for await (const event of provider.stream(request, signal)) events.push(event);
  return events;
}

export async function converse(
  start: readonly InputItem[],
  fakes: FakeTools,
  tools: readonly ToolSpec[] = TOOLS,
): Promise<Conversation> {
  const input = [...start];
  const calls: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    const request = offlineRequest(input, tools);
    const refusal = checkRequest(requestBody(request));
    if (refusal !== null) throw new Error(refusal.error.message);
    const last = (await offlineEvents(request)).at(-1);
    if (last?.kind !== 'completed') throw new Error(`the answer failed: ${JSON.stringify(last)}`);
    const outputs: InputItem[] = [];
    let answer = '';
    for (const item of last.items) {
      switch (item.kind) {
        case 'message':
          answer = item.text;
          input.push({
            type: 'message',
            role: 'assistant',
            content: [{ type: 'output_text', text: item.text }],
          });
          break;
        case 'reasoning':
          input.push(item.item as InputItem);
          break;
        case 'call': {
          const { call_id, name, args } = item;
          calls.push(`${name} ${args}`);
          input.push({ type: 'function_call', call_id, name, arguments: args });
          const output = fakes[name]?.(JSON.parse(args)) ?? 'Error (unknown_tool): no such fake';
          outputs.push({ type: 'function_call_output', call_id, output });
        }
      }
    }
    input.push(...outputs);
    if (outputs.length === 0) return { input, calls, answer };
  }
  throw new Error('the conversation does not end');
}
