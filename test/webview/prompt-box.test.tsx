import { expect, test } from 'vitest';
import { PromptBox } from '../../webview/prompt-box.tsx';
import type { Attached } from '../../webview/transcript.ts';
import { click, draw, elementsIn } from '../support/small-dom.ts';

const posted: unknown[] = [];
const PRESENTER = { post: (message: unknown) => void posted.push(message), gesture: () => undefined };

function box(text: string, attachments: readonly Attached[] = []): Parameters<typeof draw>[0] {
  const prompt = { seq: 0, text, ts: '', client_turn_id: 'k', attachments, cut: false };
  return <PromptBox prompt={prompt} turnId="t1" presenter={PRESENTER} />;
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

test('what went with a prompt opens: a file at its line, all else as it was sent', () => {
  const one = { kind: 'file', name: 'a.ts', path: 'src/a.ts', line: null, bytes: 3 };
  const parts = [
    one,
    { ...one, kind: 'selection', name: 'a.ts:3-5', line: 3 },
    { ...one, kind: 'selection', name: 'src/a.ts:7', line: null },
    { ...one, kind: 'image', name: 'shot.png', path: null },
    { ...one, kind: 'folder', name: 'src', path: 'src' },
  ];
  const document = draw(box('words', parts));
  posted.length = 0;
  for (const button of elementsIn(document.body).filter(({ localName }) => localName === 'button'))
    click(button);
  expect(posted).toEqual([
    { type: 'open', path: 'src/a.ts' },
    { type: 'open', path: 'src/a.ts', line: 3 },
    { type: 'open', path: 'src/a.ts', line: 7 },
    { type: 'open_attachment', turn_id: 't1', index: 3 },
    { type: 'open_attachment', turn_id: 't1', index: 4 },
  ]);
});
