import { expect, test } from 'vitest';
import { PromptCache, type Prompt } from '../support/responses-server/prompt-cache.ts';

/** A prompt of so many tokens of text, of which the last ones say who it is. */
function prompt(tokens: number, end = ''): Prompt {
  const length = tokens * 4 - 'm\n\n'.length - end.length;
  return { model: 'm', instructions: 'x'.repeat(length) + end, tools: [], input: [] };
}

test('tokens are four bytes each, of all that the model reads', () => {
  const cache = new PromptCache();
  expect(cache.use('k', prompt(10))).toEqual({ input: 10, cached: 0 });
  const { instructions } = prompt(10);
  expect(cache.use('k', { ...prompt(10), instructions: `${instructions}ä` })).toMatchObject({ input: 11 });
});

test.each([
  [1_023, 0],
  [1_024, 1_024],
  [1_151, 1_024],
  [1_152, 1_152],
  [5_000, 4_992],
])('of %i tokens that come again, %i are found', (tokens, cached) => {
  const cache = new PromptCache();
  expect(cache.use('k', prompt(tokens))).toEqual({ input: tokens, cached: 0 });
  expect(cache.use('k', prompt(tokens))).toEqual({ input: tokens, cached });
});

test('only an exact prefix is found: one byte changes all that follows', () => {
  const cache = new PromptCache();
  cache.use('k', prompt(4_096));
  const { instructions } = prompt(4_096);
  const at = 2_000 * 4;
  const changed = `${instructions.slice(0, at)}y${instructions.slice(at + 1)}`;
  expect(cache.use('k', { ...prompt(4_096), instructions: changed })).toEqual({
    input: 4_096,
    cached: 1_920,
  });
});

test('keys share nothing, and models do not either', () => {
  const cache = new PromptCache();
  cache.use('k', prompt(2_048));
  expect(cache.use('other', prompt(2_048)).cached).toBe(0);
  expect(cache.use('k', { ...prompt(2_048), model: 'n' }).cached).toBe(0);
  expect(cache.use('k', prompt(2_048)).cached).toBe(2_048);
});

test('a prompt that grows finds all that it was before, whatever came in between', () => {
  const cache = new PromptCache();
  const first = { ...prompt(1_100), input: [{ type: 'message', text: 'a'.repeat(512) }] };
  const grown = { ...first, input: [...first.input, { type: 'message', text: 'b'.repeat(2_048) }] };
  cache.use('k', first);
  cache.use('k', prompt(3_000, 'z'));
  expect(cache.use('k', grown)).toEqual({ input: 1_755, cached: 1_152 });
  expect(cache.use('k', grown)).toEqual({ input: 1_755, cached: 1_664 });
});

function content(more: object): readonly object[] {
  return [{ type: 'output_text', text: 'x'.repeat(8_192), ...more }];
}

test('an item counts the same whether it was remembered or sent back', () => {
  const cache = new PromptCache();
  const remembered = {
    id: 'msg_1',
    type: 'message',
    status: 'completed',
    content: content({ annotations: [] }),
  };
  const sentBack = { type: 'message', content: content({}) };
  const { input } = cache.use('k', { ...prompt(1), input: [remembered] });
  expect(cache.use('k', { ...prompt(1), input: [sentBack] })).toEqual({
    input,
    cached: Math.floor(input / 128) * 128,
  });
});
