import { expect, test } from 'vitest';
import { wantsSocket } from '../../src/provider/transport-choice.ts';

test.each([
  ['https://api.openai.com/v1', true],
  ['https://API.OpenAI.com:443/v1?api-version=1', true],
  ['http://api.openai.com/v1', false],
  ['https://api.openai.com:8443/v1', false],
  ['https://api.openai.com.example.test/v1', false],
  ['https://eu.api.openai.com/v1', false],
  ['https://example.test/api.openai.com/v1', false],
  ['http://127.0.0.1:11434/v1', false],
])('by itself, a socket to %s: %j', (url, wanted) => {
  expect(wantsSocket('auto', url)).toBe(wanted);
});

test('whoever says which is not second-guessed', () => {
  expect(wantsSocket('sse', 'https://api.openai.com/v1')).toBe(false);
  expect(wantsSocket('websocket', 'http://127.0.0.1:11434/v1')).toBe(true);
});
