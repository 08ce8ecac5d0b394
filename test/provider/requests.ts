import { createOpenAiProvider, type OpenAiProviderOptions } from '../../src/provider/openai-provider.ts';
import type { ModelRequest, Provider, ProviderEvent } from '../../src/runtime/ports.ts';

/** Requests and providers for the tests of this folder. */

export const KEY = 'sk-test-0123456789abcdef';

export const REQUEST: ModelRequest = {
  model: 'test-model',
  instructions: 'Be brief.',
  tools: [
    {
      name: 'read_file',
      description: 'Reads a file.',
      effect: 'read',
      parameters: {
        type: 'object',
        properties: { path: { type: 'string' } },
        required: ['path'],
        additionalProperties: false,
      },
    },
  ],
  input: [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Workspace root: "/w"' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Grüße, Ärger, 🦊' }] },
  ],
  prompt_cache_key: 'll1:m_x:r_ask:s_y:t_z:k_w',
  reasoning_effort: 'medium',
};

export function providerAt(baseUrl: string, options: Partial<OpenAiProviderOptions> = {}): Provider {
  return createOpenAiProvider({ apiKey: KEY, baseUrl, ...options });
}

export async function collect(
  provider: Provider,
  request: ModelRequest = REQUEST,
  signal: AbortSignal = new AbortController().signal,
): Promise<readonly ProviderEvent[]> {
  const events: ProviderEvent[] = [];
  for await (const event of provider.stream(request, signal)) events.push(event);
  return events;
}

/** The stream without its signs of life. */
export function spoken(events: readonly ProviderEvent[]): readonly ProviderEvent[] {
  return events.filter((event) => event.kind !== 'activity');
}
