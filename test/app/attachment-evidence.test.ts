import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { imageFacts } from '../../src/presenter/image-facts.ts';
import { png } from '../support/pictures.ts';
import { says, stage, type Window } from '../lifecycle/window.ts';

const on = stage();

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function send(window: Window, attachments: readonly object[]): Promise<string | null> {
  await window.receive({ type: 'send', client_turn_id: 't1', text: 'Look.', attachments });
  return window.rests();
}

it('whatever is attached is on record with the hash, the size and the lines of all of it', async () => {
  await on.script(says('Seen.'));
  await on.write('a.ts', 'one\ntwo\n');
  await on.write('empty.txt', '');
  const picture = png(640, 480);
  const window = await on.open();
  const given = [
    { kind: 'file', path: 'a.ts' },
    { kind: 'selection', path: 'a.ts', start_line: 2, end_line: 2 },
    { kind: 'selection', label: 'notes:1', text: 'as it stood there' },
    { kind: 'terminal', label: 'npm test', text: 'exit code 1\n' },
    { kind: 'file', path: 'empty.txt' },
    { kind: 'image', label: 'shot.png', data: picture.toString('base64') },
  ];
  expect(await send(window, given)).toBe('completed');
  const [message] = await on.of('user_message');
  expect(message?.attachments).toMatchObject([
    { kind: 'file', sha256: sha256('one\ntwo\n'), bytes: 8, lines: 2, text: 'one\ntwo\n' },
    { kind: 'selection', sha256: sha256('one\ntwo\n'), bytes: 8, lines: 1, text: 'two' },
    { kind: 'selection', sha256: sha256('as it stood there'), bytes: 17, lines: 1 },
    { kind: 'terminal', sha256: sha256('exit code 1\n'), bytes: 12, lines: 1 },
    { kind: 'file', sha256: sha256(''), bytes: 0, lines: 0, text: '[The file is empty.]' },
    { kind: 'image', sha256: sha256(picture), bytes: picture.length, width: 640, height: 480 },
  ]);
});

it('what a presenter claims of an attachment is not believed', async () => {
  await on.script(says('Seen.'));
  const window = await on.open();
  const claims = { sha256: 'f'.repeat(64), bytes: 1, lines: 9, truncated: true, unsaved: true, width: 5 };
  await send(window, [{ kind: 'note', label: 'n', text: 'words', mime: 'x/y', ...claims }]);
  const [message] = await on.of('user_message');
  expect(message?.attachments).toEqual([
    { kind: 'note', label: 'n', text: 'words', sha256: sha256('words'), bytes: 5, lines: 1 },
  ]);
});

it('text that a presenter gives is bounded like that of a file, and so are lines and labels', async () => {
  await on.script(says('Seen.'));
  const window = await on.open();
  const long = `${'y'.repeat(1023)}\n`.repeat(200);
  await send(window, [
    { kind: 'note', label: 'l'.repeat(5_000), text: long },
    { kind: 'note', label: 'line', text: 'z'.repeat(10_010) },
  ]);
  const [message] = await on.of('user_message');
  const [first, second] = message?.attachments ?? [];
  const sent = on.input(0).findLast((item) => item['role'] === 'user')?.['content'];
  const [, note] = sent as readonly { readonly text: string }[];
  const head = `[Attached note: ${'l'.repeat(299)}…]\n[Only the first 128.0 KiB of 200.0 KiB are attached.]\n`;
  expect(note?.text.slice(0, head.length)).toBe(head);
  expect(note?.text.length).toBe(head.length + 128 * 1024);
  expect(first).toMatchObject({
    kind: 'note',
    label: `${'l'.repeat(299)}…`,
    sha256: sha256(long),
    bytes: long.length,
    lines: 200,
    truncated: true,
  });
  expect(second).toMatchObject({
    text: `${'z'.repeat(10_000)} [10 more characters of this line are left out.]`,
    bytes: 10_010,
    truncated: true,
  });
});

it('a folder with more entries than are told says so', async () => {
  await on.script(says('Seen.'));
  for (let n = 0; n < 1_050; n += 1) {
    const path = join(on.place.workspace, `many/${n}.txt`);
    if (n === 0) await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '');
  }
  const window = await on.open();
  await send(window, [{ kind: 'folder', path: 'many' }]);
  const [message] = await on.of('user_message');
  expect(message?.attachments[0]).toMatchObject({
    kind: 'folder',
    truncated: true,
    sha256: expect.any(String),
  });
});

const GIF = Buffer.concat([
  Buffer.from('GIF89a', 'latin1'),
  Buffer.from([2, 0, 3, 0, 0x80, 0, 0]),
  Buffer.alloc(6),
]);
const FRAME = Buffer.from([0x2c, 0, 0, 0, 0, 2, 0, 3, 0, 0, 2, 2, 0x44, 1, 0]);
const END = Buffer.from([0x3b]);

it.each([
  [
    'bytes of all images',
    Array.from({ length: 5 }, (_, n) => png(9, 9, 4_500_000 + n)),
    'The images have 21.5 MiB; 20.0 MiB fit. Nothing was sent: remove some and send again.',
  ],
  [
    'frames of an image',
    [Buffer.concat([GIF, FRAME, FRAME, END])],
    'shot is an animated GIF, which models do not take. Attach one picture of it instead. Nothing was sent: remove the attachment and send again.',
  ],
])('too many %s are refused, and nothing is sent', async (_, images, message) => {
  await on.script(says('Never.'));
  const window = await on.open();
  const attachments = images.map((one) => ({ kind: 'image', label: 'shot', data: one.toString('base64') }));
  await window.receive({ type: 'send', client_turn_id: 't1', text: 'Look.', attachments });
  expect(window.failures.map((failure) => failure.message)).toEqual([message]);
  expect(on.requests).toEqual([]);
});

it.each([
  ['a file', { kind: 'image', path: 'a.ts' }],
  ['words', { kind: 'image', label: 'a.ts', text: 'words' }],
])('what is called an image and is none is refused: %s', async (_, attachment) => {
  await on.script(says('Never.'));
  await on.write('a.ts', 'one');
  const window = await on.open();
  await window.receive({ type: 'send', client_turn_id: 't1', text: 'Look.', attachments: [attachment] });
  expect(window.failures.map(({ kind, message }) => [kind, message])).toEqual([
    [
      'attachment_not_an_image',
      'a.ts is no PNG, JPEG, GIF or WebP image. Nothing was sent: remove the attachment and send again.',
    ],
  ]);
  expect(on.requests).toEqual([]);
});

it('the size of a picture is read from its head, whatever it is', () => {
  const jpeg = Buffer.from([
    0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xc0, 0, 11, 8, 0, 3, 0, 2, 1, 1, 0x11, 0,
  ]);
  const lossless = Buffer.alloc(30);
  lossless.write('RIFF\u0016\0\0\0WEBPVP8L', 'latin1');
  lossless.writeUInt32LE((2 - 1) | ((3 - 1) << 14), 21);
  const extended = Buffer.alloc(30);
  extended.write('RIFF\u0016\0\0\0WEBPVP8X', 'latin1');
  extended.set([1, 0, 0, 2, 0, 0], 24);
  const small = { width: 2, height: 3 };
  expect([png(2, 3), jpeg, Buffer.concat([GIF, FRAME, END]), lossless, extended].map(imageFacts)).toEqual([
    { mime: 'image/png', size: small, animated: false, whole: true },
    { mime: 'image/jpeg', size: small, animated: false, whole: true },
    { mime: 'image/gif', size: small, animated: false, whole: true },
    { mime: 'image/webp', size: small, animated: false, whole: true },
    { mime: 'image/webp', size: small, animated: false, whole: true },
  ]);
  expect(imageFacts(png(2, 3).subarray(0, 12))).toEqual({
    mime: 'image/png',
    size: null,
    animated: false,
    whole: false,
  });
  expect(imageFacts(Buffer.from('words'))).toBe(null);
});

const WEBP = Buffer.concat([Buffer.from('RIFF\u0016\0\0\0WEBPVP8L', 'latin1'), Buffer.alloc(14)]);

it.each([
  ['a PNG', png(2, 3, 500)],
  ['a GIF', Buffer.concat([GIF, FRAME])],
  ['a WebP', WEBP],
])('%s that breaks off anywhere is not whole, and what comes after its end does not matter', (_, image) => {
  expect(imageFacts(Buffer.concat([image, Buffer.alloc(9)]))?.whole).toBe(true);
  expect(imageFacts(image)?.whole).toBe(true);
  const cut = Array.from({ length: image.length - 13 }, (__, at) => image.subarray(0, at + 13));
  expect(cut.filter((one) => imageFacts(one)?.whole === true).map(({ length }) => length)).toEqual([]);
});

it('a damaged image is refused, and nothing is sent: every later request would have it', async () => {
  await on.script(says('Never.'));
  const window = await on.open();
  const data = png(2, 3, 500).subarray(0, 300).toString('base64');
  await window.receive({
    type: 'send',
    client_turn_id: 't1',
    text: 'Look.',
    attachments: [{ kind: 'image', label: 'shot', data }],
  });
  expect(window.failures.map(({ kind, message }) => [kind, message])).toEqual([
    [
      'attachment_damaged',
      'shot is damaged: a part of it is missing. Make it anew and attach that. Nothing was sent: remove the attachment and send again.',
    ],
  ]);
  expect(on.requests).toEqual([]);
});
