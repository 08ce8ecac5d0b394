import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LoopTurns } from '../../src/app/agents/loop-turns.ts';
import type { ModelRequest, Provider, ProviderEvent } from '../../src/runtime/ports.ts';

const REQUEST: ModelRequest = {
  model: 'gpt-test',
  instructions: '',
  tools: [],
  input: [],
  prompt_cache_key: 'k',
  reasoning_effort: null,
};
const TOKENS = { input: 1, cached: 0, output: 1, reasoning: 0, total: 2 };
const EVENTS: readonly ProviderEvent[] = [
  { kind: 'text_delta', text: 'A' },
  { kind: 'text_delta', text: 'B' },
  { kind: 'completed', response_id: 'r', items: [], tokens: TOKENS, unknown_events: [] },
];

describe('turns of the event loop', () => {
  it('are given to one child at a time, with others between them', async () => {
    const turns = new LoopTurns();
    const order: string[] = [];
    const children = ['a', 'b', 'c'].map(async (name) => {
      await turns.next();
      order.push(name);
    });
    for (let turn = 0; turn < 3; turn += 1) {
      await setImmediate();
      order.push('other');
    }
    await Promise.all(children);
    expect(order).toEqual(['a', 'other', 'b', 'other', 'c', 'other']);
  });

  it('change nothing of what a model says', async () => {
    const provider: Provider = {
      endpoint: 'here',
      transport: 'http_sse',
      async *stream() {
        yield* EVENTS;
      },
    };
    const read = new LoopTurns().readBy(provider);
    const said: ProviderEvent[] = [];
    for await (const event of read.stream(REQUEST, new AbortController().signal)) said.push(event);
    expect(said).toEqual(EVENTS);
    expect([read.endpoint, read.transport]).toEqual(['here', 'http_sse']);
  });
});
