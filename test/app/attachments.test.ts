import { createHash } from 'node:crypto';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../src/app/conversation-options.ts';
import { problemsText } from '../../src/app/problems-text.ts';
import { asks, says, stage, type Window } from '../lifecycle/window.ts';
import { png } from '../support/pictures.ts';

const on = stage();
const REMOVE = 'Nothing was sent: remove the attachment and send again.';
const PNG = png(9, 9, 40_000);

async function send(
  window: Window,
  attachments: readonly object[],
  client_turn_id = 't1',
): Promise<string | null> {
  await window.receive({ type: 'send', client_turn_id, text: 'Look.', attachments });
  return window.rests();
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function writeBytes(path: string, bytes: Buffer): Promise<void> {
  await mkdir(dirname(join(on.place.workspace, path)), { recursive: true });
  await writeFile(join(on.place.workspace, path), bytes);
}

/** What the last message of the nth request says, part by part. */
function parts(index: number): readonly Record<string, unknown>[] {
  const last = on.input(index).findLast((item) => item['role'] === 'user');
  return (last?.['content'] ?? []) as readonly Record<string, unknown>[];
}

describe('a file that is named', () => {
  it('is read when the message is sent, and is on record with its hash', async () => {
    await on.script(says('Seen.'));
    await on.write('src/a.ts', 'const a = 1;\n');
    const window = await on.open();
    expect(await send(window, [{ kind: 'file', path: 'src/a.ts' }])).toBe('completed');
    const [message] = await on.of('user_message');
    expect(message?.attachments).toEqual([
      {
        kind: 'file',
        path: 'src/a.ts',
        text: 'const a = 1;\n',
        lines: 1,
        sha256: sha256('const a = 1;\n'),
        bytes: 13,
      },
    ]);
    expect(parts(0)[1]).toEqual({ type: 'input_text', text: '[Attached file: src/a.ts]\nconst a = 1;\n' });
  });

  it('that is long is cut, and says so', async () => {
    await on.script(says('Seen.'));
    const long = `${'x'.repeat(1023)}\n`.repeat(300);
    await on.write('long.txt', long);
    const window = await on.open();
    await send(window, [{ kind: 'file', path: 'long.txt' }]);
    const [attachment] = (await on.of('user_message'))[0]?.attachments ?? [];
    expect(attachment).toMatchObject({ truncated: true, bytes: long.length, sha256: sha256(long) });
    const head = '[Attached file: long.txt]\n[Only the first 128.0 KiB of 300.0 KiB are attached.]\n';
    const text = String(parts(0)[1]?.['text']);
    expect([text.slice(0, head.length), text.length]).toEqual([head, head.length + 128 * 1024]);
  });

  it('gives only the lines that are asked for', async () => {
    await on.script(says('Seen.'));
    await on.write('a.ts', 'one\ntwo\nthree\nfour\n');
    const window = await on.open();
    await send(window, [{ kind: 'selection', path: 'a.ts', start_line: 2, end_line: 3 }]);
    expect(parts(0)[1]).toEqual({
      type: 'input_text',
      text: '[Attached selection: a.ts, lines 2 to 3]\ntwo\nthree',
    });
  });

  it.each([
    ['four lines', 'one\ntwo\nthree\nfour\n', 5, 'a.ts has only 4 lines, so there is no line 5.'],
    ['one line', 'one', 9, 'a.ts has only 1 line, so there is no line 9.'],
    ['nothing in it', '', 1, 'a.ts is empty, so there is no line 1.'],
  ])('with %s gives none behind its end, and nothing is sent', async (_name, content, start_line, why) => {
    await on.script(says('Never.'));
    await on.write('a.ts', content);
    const window = await on.open();
    const attachments = [{ kind: 'selection', path: 'a.ts', start_line, end_line: 20 }];
    await window.receive({ type: 'send', client_turn_id: 't1', text: 'Look.', attachments });
    expect(window.failures).toMatchObject([
      { for: 'send', kind: 'attachment_no_such_line', message: `${why} ${REMOVE}` },
    ]);
    expect(on.requests).toEqual([]);
  });

  it('that ends earlier than is asked for gives what is there, and says so', async () => {
    await on.script(says('Seen.'));
    await on.write('a.ts', 'one\ntwo\nthree\n');
    const window = await on.open();
    await send(window, [{ kind: 'selection', path: 'a.ts', start_line: 2, end_line: 40 }]);
    expect(parts(0)[1]?.['text']).toBe(
      '[Attached selection: a.ts, lines 2 to 3]\n[The file ends with line 3.]\ntwo\nthree\n',
    );
    const [attachment] = (await on.of('user_message'))[0]?.attachments ?? [];
    expect(attachment).toMatchObject({ start_line: 2, end_line: 3 });
  });

  it.each([
    ['.env', 'may hold secrets'],
    ['keys/server.pem', 'may hold secrets'],
    ['.git/config', 'may hold secrets or belongs to version control'],
    ['../outside.txt', 'is outside the workspace'],
    ['linked.txt', 'may hold secrets'],
    ['nowhere.txt', 'does not exist any more'],
    ['program', 'is not text'],
  ])('is not sent, nor anything with it, when it is %s', async (path, why) => {
    await on.script(says('Never.'));
    await on.write('.env', 'TOKEN=1');
    await on.write('keys/server.pem', 'KEY');
    await on.write('.git/config', 'x');
    await on.write('../outside.txt', 'x');
    await writeBytes('program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]));
    await symlink('.env', join(on.place.workspace, 'linked.txt'));
    const window = await on.open();
    await window.receive({
      type: 'send',
      client_turn_id: 't1',
      text: 'Look.',
      attachments: [{ kind: 'file', path }],
    });
    expect(window.failures).toEqual([
      expect.objectContaining({ for: 'send', client_turn_id: 't1', message: expect.stringContaining(why) }),
    ]);
    expect(window.failures[0]?.message.endsWith(REMOVE)).toBe(true);
    expect(on.requests).toEqual([]);
    expect(window.state).toBeNull();
  });

  it('that holds secrets is not sent with words that a presenter has of it either', async () => {
    await on.script(says('Seen.'));
    const window = await on.open();
    const words = { kind: 'selection', text: 'TOKEN=1' };
    await send(window, [{ ...words, path: '.env' }]);
    // Said to the person, who can do something about it.
    const why = '.env may hold secrets or belongs to version control, so it is not attached.';
    expect(window.failures).toMatchObject([{ kind: 'attachment_denied', message: `${why} ${REMOVE}` }]);
    expect(await send(window, [{ ...words, label: 'Untitled-1' }], 't2')).toBe('completed');
  });

  it('is not sent where a rule denies reading it', async () => {
    await on.script(says('Never.'));
    await on.write('private/a.txt', 'x');
    const deny = ['read_file(private/**)'];
    const window = await on.open({ permissions: { allow: [], ask: [], deny } });
    await window.receive({
      type: 'send',
      client_turn_id: 't1',
      text: 'Look.',
      attachments: [{ kind: 'file', path: 'private/a.txt' }],
    });
    expect(window.failures).toMatchObject([
      {
        kind: 'attachment_denied',
        next_actions: [{ command: 'workbench.action.openSettings', args: ['ledgerline.permissions'] }],
      },
    ]);
    expect(on.requests).toEqual([]);
  });

  it.each([
    ['in the workspace', true],
    ['in one that is not trusted', false],
  ])('under such a rule is not sent with words of it either, %s', async (_name, trusted) => {
    await on.script(says('Seen.'));
    const deny = ['read_file(private/**)'];
    const window = await on.open({ permissions: { allow: [], ask: [], deny } }, 's1', { trusted });
    const words = { kind: 'selection', label: 'plan:1', text: 'the plan' };
    await send(window, [{ ...words, path: 'private/plan.txt' }]);
    const why = 'A rule keeps private/plan.txt from being read (read_file(private/**)).';
    expect(window.failures).toMatchObject([{ kind: 'attachment_denied', message: `${why} ${REMOVE}` }]);
    expect(on.requests).toEqual([]);
    expect(await send(window, [{ ...words, path: 'public/plan.txt' }], 't2')).toBe('completed');
  });
});

it('what a message would carry can be asked without sending it', async () => {
  await on.script(says('Never.'));
  await on.write('a.txt', 'one\n');
  await on.write('.env', 'TOKEN=1');
  const window = await on.open({ permissions: { allow: [], ask: [], deny: ['read_file(private/**)'] } });
  const named = ['a.txt', '.env', 'private/b.txt'].map((path) => join(on.place.workspace, path));
  const found = await window.conversation.means.lookUp(named.map((path) => ({ kind: 'file', path })));
  expect(found).toMatchObject([
    { ok: true, value: { path: 'a.txt', text: 'one\n' } },
    { ok: false, code: 'attachment_denied' },
    { ok: false, why: 'A rule keeps private/b.txt from being read (read_file(private/**)).' },
  ]);
  expect(on.requests).toEqual([]);
});

it('a folder is a bounded list of what is in it, without secrets', async () => {
  await on.script(says('Seen.'));
  await on.write('src/a.ts', '1');
  await on.write('src/deep/b.ts', '2');
  await on.write('src/.env', 'TOKEN=1');
  const window = await on.open();
  await send(window, [{ kind: 'folder', path: 'src' }]);
  expect(parts(0)[1]?.['text']).toBe(
    '[Attached folder: src]\nsrc/a.ts\nsrc/deep/\nsrc/deep/b.ts\n[Left out as denied (secrets, version control): 1.]',
  );
});

describe('an image', () => {
  it('is what its bytes say, is kept as a blob, and stays in later requests', async () => {
    await on.script(says('Seen.'), says('Still.'));
    const window = await on.open();
    const data = PNG.toString('base64');
    await send(window, [{ kind: 'image', label: 'shot', mime: 'image/svg+xml', data }]);
    const image = { type: 'input_image', image_url: `data:image/png;base64,${data}`, detail: 'auto' };
    expect(parts(0)[2]).toEqual(image);
    await window.close();
    const again = await on.open();
    expect(await again.turn('And now?', 't2')).toBe('completed');
    const [first, second] = [on.input(0), on.input(1)].map((input) => JSON.stringify(input));
    expect(second?.startsWith(first?.slice(0, -1) ?? '')).toBe(true);
    const [message] = await on.of('user_message');
    expect(message?.attachments[0]).toMatchObject({
      mime: 'image/png',
      bytes: PNG.length,
      sha256: sha256(PNG),
      blob: sha256(PNG),
    });
  });

  it('of the workspace can be named like a file', async () => {
    await on.script(says('Seen.'));
    await writeBytes('pictures/a.png', PNG);
    const window = await on.open();
    await send(window, [{ kind: 'file', path: 'pictures/a.png' }]);
    expect(parts(0)[2]?.['type']).toBe('input_image');
  });

  it.each([
    ['is none', Buffer.from('<svg/>'), 1, 'attachment_not_an_image'],
    ['is too large', Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]), 1, 'attachment_too_large'],
    ['is the eleventh', png(9, 9), 11, 'attachment_too_many'],
  ])('that %s is refused', async (_, bytes, count, kind) => {
    await on.script(says('Never.'));
    const window = await on.open();
    const image = { kind: 'image', label: 'shot', data: bytes.toString('base64') };
    const attachments = Array.from({ length: count }, () => image);
    await window.receive({ type: 'send', client_turn_id: 't1', text: 'Look.', attachments });
    expect(window.failures.map((failure) => failure.kind)).toEqual([kind]);
    expect(on.requests).toEqual([]);
  });
});

it('what is sent again is what was read the first time', async () => {
  await on.script(asks(['c1', 'list_files', { path: null, glob: null }]), says('Done.'));
  await on.write('a.txt', 'before');
  const window = await on.open({ maxRounds: 1 });
  expect(await send(window, [{ kind: 'file', path: 'a.txt' }])).toBe('failed');
  await on.write('a.txt', 'after');
  await window.receive({ type: 'run_action', command: 'ledgerline.retryTurn' });
  expect(await window.rests()).toBe('completed');
  const sent = await on.of('user_message');
  expect(sent.map(({ attachments }) => attachments[0]?.text)).toEqual(['before', 'before']);
});

it('problems need an editor, and without one nothing is sent', async () => {
  await on.script(says('Never.'));
  const window = await on.open();
  await window.receive({
    type: 'send',
    client_turn_id: 't1',
    text: 'Look.',
    attachments: [{ kind: 'problems' }],
  });
  expect(window.failures.map(({ kind }) => kind)).toEqual(['attachment_not_available']);
});

function problemAt(path: string, severity: Problem['severity']): Problem {
  return { path, line: 3, severity, message: 'Two\n lines.' };
}

it('problems are lines, the worst first, and only of files that may be shown', () => {
  const problems = [
    problemAt('/w/b', 'warning'),
    problemAt('/w/a', 'error'),
    problemAt('/w/c', 'hint'),
    problemAt('/w/.env', 'error'),
  ];
  const shown = problemsText(problems, (path) => (path.endsWith('.env') ? null : path.slice(3)));
  expect(shown).toEqual({ text: 'a:3 error Two lines.\nb:3 warning Two lines.', shown: 2, told: 2 });
  expect(problemsText([], () => null).text).toBe('[There are no problems.]');
});
