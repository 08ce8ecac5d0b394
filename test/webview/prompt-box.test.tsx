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

const SHA = 'abcdef0123456789'.repeat(4);
const NOTHING_KNOWN: Attached = {
  kind: 'file',
  name: 'a.ts',
  path: 'src/a.ts',
  line: null,
  end_line: null,
  sha256: null,
  bytes: null,
  lines: null,
  width: null,
  height: null,
  truncated: false,
  unsaved: false,
};

/** What is told of one that was sent, once its chip is opened, and what its buttons post. */
function opened(attached: Attached): { readonly text: string; readonly posts: readonly unknown[] } {
  const document = draw(box('', [attached]));
  const buttons = (): ReturnType<typeof elementsIn> =>
    elementsIn(document.body).filter(({ localName }) => localName === 'button');
  const [chip] = buttons();
  if (chip === undefined) throw new Error('there is no chip');
  click(chip);
  draw(box('', [attached]), document);
  const panel = elementsIn(document.body).find((one) => one.attributes.get('class') === 'sent-evidence');
  posted.length = 0;
  for (const button of buttons().slice(1)) click(button);
  return { text: panel?.textContent ?? '', posts: [...posted] };
}

test('what went with a prompt opens in place: a file at its line, and all of it as it was sent', () => {
  const asSent = { type: 'open_attachment', turn_id: 't1', index: 0 };
  const selection = { ...NOTHING_KNOWN, kind: 'selection' };
  expect([
    opened(NOTHING_KNOWN).posts,
    opened({ ...selection, name: 'a.ts:3-5', line: 3, end_line: 5 }).posts,
    opened({ ...selection, name: 'src/a.ts:7' }).posts,
    opened({ ...NOTHING_KNOWN, kind: 'image', name: 'shot.png', path: null }).posts,
    opened({ ...NOTHING_KNOWN, kind: 'folder', name: 'src', path: 'src' }).posts,
  ]).toEqual([
    [{ type: 'open', path: 'src/a.ts' }, asSent],
    [{ type: 'open', path: 'src/a.ts', line: 3 }, asSent],
    [{ type: 'open', path: 'src/a.ts', line: 7 }, asSent],
    [asSent],
    [asSent],
  ]);
});

test('what the log proves of something that was sent is told with it', () => {
  const file = { ...NOTHING_KNOWN, sha256: SHA, bytes: 2048, lines: 70 };
  expect([
    opened(file).text,
    opened({ ...file, line: 3, end_line: 9, truncated: true, unsaved: true }).text,
    opened({ ...file, kind: 'image', path: null, lines: null, width: 640, height: 480 }).text,
    opened(NOTHING_KNOWN).text,
  ]).toEqual([
    'src/a.tsSHA-256 abcdef0123452 KB70 linesOpen fileShow as sent',
    'src/a.tsSHA-256 abcdef0123452 KBlines 3 to 9only a part was sentwith unsaved changesOpen fileShow as sent',
    'SHA-256 abcdef0123452 KB640 x 480 pixelsShow as sent',
    'src/a.tsNo hash on recordOpen fileShow as sent',
  ]);
});
