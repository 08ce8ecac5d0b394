import { expect, test } from 'vitest';
import { PromptBox } from '../../webview/prompt-box.tsx';
import { draw } from '../support/small-dom.ts';

function drawnPrompt(text: string): string {
  const prompt = { seq: 0, text, ts: '', client_turn_id: 'k', attachments: [], cut: false };
  return draw(<PromptBox prompt={prompt} />).body.textContent;
}

test('of a long prompt the beginning is drawn, and that it is only that', () => {
  expect(drawnPrompt('short')).toBe('short');
  const long = 'x'.repeat(200_000);
  expect(drawnPrompt(long)).toBe(
    `${long.slice(0, 64 * 1024)}…Only the beginning is shown; the log has the rest.`,
  );
});
