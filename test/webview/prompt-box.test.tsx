import { expect, test } from 'vitest';
import { PromptBox } from '../../webview/prompt-box.tsx';
import { click, draw, elementsIn } from '../support/small-dom.ts';

function box(text: string): Parameters<typeof draw>[0] {
  return <PromptBox prompt={{ seq: 0, text, ts: '', client_turn_id: 'k', attachments: [], cut: false }} />;
}

test('a long prompt is folded, and opened it says how much of it is here', () => {
  expect(draw(box('short')).body.textContent).toBe('short');
  const long = 'x'.repeat(200_000);
  const document = draw(box(long));
  expect(document.body.textContent).toBe(`${'x'.repeat(720)}…Show all`);
  const [toggle] = elementsIn(document.body).filter(({ localName }) => localName === 'button');
  if (toggle === undefined) throw new Error('it cannot be opened');
  click(toggle);
  expect(draw(box(long), document).body.textContent).toBe(
    `${long.slice(0, 64 * 1024)}…Only the beginning is shown; the log has the rest.Show less`,
  );
});
