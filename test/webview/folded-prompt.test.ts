import { expect, test } from 'vitest';
import { promptBeginning } from '../../webview/folded-prompt.ts';

const LINES = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`);

test('a prompt is whole unless it is long', () => {
  expect(promptBeginning('')).toBeNull();
  expect(promptBeginning(LINES.slice(0, 16).join('\n'))).toBeNull();
  expect(promptBeginning('word '.repeat(150))).toBeNull();
});

test('of a long prompt the first lines are shown, however they are broken', () => {
  expect(promptBeginning(LINES.join('\n'))).toBe(LINES.slice(0, 12).join('\n'));
  expect(promptBeginning('x'.repeat(5000))).toBe('x'.repeat(12 * 60));
  const [first, second] = ['a'.repeat(11 * 60), 'b'.repeat(500)];
  expect(promptBeginning(`${first}\n${second}`)).toBe(`${first}\n${'b'.repeat(60)}`);
});
