import { expect, test } from 'vitest';
import { inputWindow, modelFacts } from '../../src/provider/model-facts.ts';
import catalogue from '../../src/provider/models.json' with { type: 'json' };

test('a model is known by its name, and a snapshot by that of its model', () => {
  expect(modelFacts('gpt-5.4')).toEqual({ context_window: 1_050_000, max_input: 922_000 });
  expect(modelFacts('gpt-5.4-2026-03-05')).toEqual(modelFacts('gpt-5.4'));
  expect(modelFacts('gpt-4o-2024-08-06')).toEqual({ context_window: 128_000 });
});

test.each([
  '',
  'gpt',
  'gpt-5.4-turbo',
  'gpt-5.4-2026',
  'my-gpt-5.4',
  'GPT-5.4',
  'constructor',
  '-2026-03-05',
])('nothing is guessed of %j', (name) => {
  expect(modelFacts(name)).toBeNull();
  expect(inputWindow(name)).toBeNull();
});

test('the window of a request is what the input may fill, where that is less than all', () => {
  expect(inputWindow('gpt-5')).toBe(272_000);
  expect(inputWindow('gpt-4.1')).toBe(1_047_576);
});

test('the catalogue holds whole numbers, and no input that is larger than its window', () => {
  for (const [name, facts] of Object.entries(catalogue)) {
    const { context_window, max_input = context_window } = facts as {
      context_window: number;
      max_input?: number;
    };
    const sound = Number.isInteger(context_window) && Number.isInteger(max_input) && max_input > 0;
    expect([name, sound && max_input <= context_window]).toEqual([name, true]);
  }
});
