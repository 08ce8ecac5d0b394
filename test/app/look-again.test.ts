import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { apiError } from '../support/responses-server/reply.ts';
import { asks, says, stage, type Window } from '../lifecycle/window.ts';
import { png } from '../support/pictures.ts';

/** An image, a compaction, and a second look. */

const on = stage();
const PNG = png(9, 9, 2_000);
const SHA = createHash('sha256').update(PNG).digest('hex');
const REFERENCE = SHA.slice(0, 12);
const IMAGE = {
  type: 'input_image',
  image_url: `data:image/png;base64,${PNG.toString('base64')}`,
  detail: 'auto',
};

/** So many turns that the first is before the tail of a compaction. */
const TURNS = 11;

async function imageThenCompaction(window: Window): Promise<void> {
  const attachments = [{ kind: 'image', label: 'shot.png', data: PNG.toString('base64') }];
  await window.receive({ type: 'send', client_turn_id: 'i1', text: 'What is this?', attachments });
  expect(await window.rests()).toBe('completed');
  for (let n = 0; n < TURNS; n += 1) expect(await window.turn('Go on.', `g${n}`)).toBe('completed');
  await window.receive({ type: 'compact', dry_run: false });
  await expect.poll(async () => (await on.of('history_compaction')).length).toBe(1);
}

function answers(): readonly ReturnType<typeof says>[] {
  return Array.from({ length: TURNS + 1 }, () => says('An answer of some length. '.repeat(40)));
}

function has(index: number): boolean {
  return JSON.stringify(on.input(index)).includes(IMAGE.image_url);
}

function outputOf(index: number, callId: string): unknown {
  return on
    .input(index)
    .find((item) => item['type'] === 'function_call_output' && item['call_id'] === callId)?.['output'];
}

it('an image that the provider refuses is named as the cause, with the ways out of it', async () => {
  await on.script(apiError(400, { message: 'No.', code: 'invalid_image' }));
  const window = await on.open();
  const attachments = [{ kind: 'image', label: 'shot.png', data: PNG.toString('base64') }];
  await window.receive({ type: 'send', client_turn_id: 'i1', text: 'What is this?', attachments });
  expect(await window.rests()).toBe('failed');
  const [failed] = await on.of('turn_failed');
  expect(failed?.error_kind).toBe('image_rejected');
  expect(failed?.next_actions.map(({ command }) => command)).toEqual([
    'ledgerline.fork',
    'ledgerline.selectModel',
    'ledgerline.newSession',
    'ledgerline.retryTurn',
  ]);
});

describe('an image that a compaction has dropped', () => {
  it('stayed until then, is listed by its reference, and is sent again once the model looks again', async () => {
    await on.script(
      ...answers(),
      asks(['c1', 'view_image', { image: REFERENCE }]),
      says('A shot.'),
      says('Yes.'),
    );
    const window = await on.open();
    await imageThenCompaction(window);
    expect([has(0), has(TURNS)]).toEqual([true, true]);
    const [checkpoint] = await on.of('history_compaction');
    expect(checkpoint?.images).toEqual([
      {
        sha256: SHA,
        label: 'shot.png',
        mime: 'image/png',
        bytes: PNG.length,
        width: 9,
        height: 9,
        turn_id: expect.any(String),
        asked: 'What is this?',
      },
    ]);
    expect(checkpoint?.summary).toContain(
      `Images that are not in the input any more, by reference:\n- ${REFERENCE}: shot.png`,
    );
    expect(checkpoint?.limitations).toContain(
      '1 image from before is not in the input: look at it again with view_image and its reference.',
    );
    expect(Number(checkpoint?.tokens_before) - Number(checkpoint?.tokens_after)).toBeGreaterThan(0);

    expect(await window.turn('Look again.', 'l1')).toBe('completed');
    expect(has(TURNS + 1)).toBe(false);
    const seen = [
      { type: 'input_text', text: expect.stringMatching(`^Image ${REFERENCE}: shot.png`) },
      IMAGE,
    ];
    expect(outputOf(TURNS + 2, 'c1')).toEqual(seen);
    const [result] = (await on.of('tool_result')).filter(({ call_id }) => call_id === 'c1');
    expect(result?.attachments).toMatchObject([{ kind: 'image', sha256: SHA, blob: SHA }]);
    await window.close();
    const again = await on.open();
    expect(await again.turn('And now?', 'l2')).toBe('completed');
    const [before, after] = [TURNS + 2, TURNS + 3].map((index) => JSON.stringify(on.input(index)));
    expect(after?.startsWith(before?.slice(0, -1) ?? '')).toBe(true);
  });

  it('is looked at by a fork, which has the log of its parent', async () => {
    await on.script(...answers(), asks(['c1', 'view_image', { image: SHA.slice(0, 8) }]), says('A shot.'));
    const window = await on.open();
    await imageThenCompaction(window);
    const at_seq = (await on.events()).at(-1)?.seq ?? 0;
    await window.receive({ type: 'fork', at_seq });
    expect(await window.turn('Look again.', 'l1')).toBe('completed');
    expect(outputOf(TURNS + 2, 'c1')).toMatchObject([{ type: 'input_text' }, IMAGE]);
  });

  it('that is gone from storage is an error result that says so', async () => {
    await on.script(...answers(), asks(['c1', 'view_image', { image: REFERENCE }]), says('Gone.'));
    const window = await on.open();
    await imageThenCompaction(window);
    const blobs = join(on.place.storage, 'blobs');
    for (const name of await readdir(blobs)) await rm(join(blobs, name));
    expect(await window.turn('Look again.', 'l1')).toBe('completed');
    expect(outputOf(TURNS + 2, 'c1')).toMatch(
      /^Error \(not_found\): The image .* is missing or damaged in storage/u,
    );
  });

  it.each([
    ['a file of the storage that is no picture', Buffer.from('TOKEN=1 of another session'), null],
    [
      'a picture of another kind than it says',
      Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(40)]),
      'image/gif',
    ],
  ])('that a log names wrongly is taken for what its bytes are: %s', async (_, bytes, mime) => {
    await on.script(...answers());
    const window = await on.open();
    await imageThenCompaction(window);
    await window.close();
    const sha = createHash('sha256').update(bytes).digest('hex');
    await writeFile(join(on.place.storage, 'blobs', sha), bytes);
    const sessions = join(on.place.storage, 'sessions');
    const lines = (await readFile(join(sessions, 's1.jsonl'), 'utf8')).split('\n');
    const forged = lines.map((line) =>
      line.includes('"type":"history_compaction"') ? line.replaceAll(SHA, sha) : line,
    );
    for (const name of await readdir(sessions)) await rm(join(sessions, name), { recursive: true });
    await writeFile(join(sessions, 's1.jsonl'), forged.join('\n'));
    await on.script(asks(['c1', 'view_image', { image: sha }]), says('Well.'));
    const again = await on.open();
    expect(await again.turn('Look again.', 'l1')).toBe('completed');
    const output = outputOf(1, 'c1');
    if (mime === null) expect(output).toMatch(/^Error \(not_found\): The image .* is missing or damaged/u);
    else
      expect(output).toMatchObject([
        { type: 'input_text' },
        { type: 'input_image', image_url: `data:${mime};base64,${bytes.toString('base64')}` },
      ]);
    await again.close();
  });

  it.each([
    ['the beginning of its hash', `${SHA.slice(0, 4)}*`, REFERENCE],
    ['its whole hash, whatever reference is given', SHA, SHA.slice(0, 8)],
    ['its reference, whatever more of it is given', REFERENCE, SHA],
  ])('is not looked at where a rule denies it by %s', async (_, glob, image) => {
    await on.script(...answers(), asks(['c1', 'view_image', { image }]), says('Denied.'));
    const window = await on.open({ permissions: { allow: [], ask: [], deny: [`view_image(${glob})`] } });
    await imageThenCompaction(window);
    expect(await window.turn('Look again.', 'l1')).toBe('completed');
    expect(outputOf(TURNS + 2, 'c1')).toMatch(/^Error \(/u);
    expect((await on.of('tool_result')).at(-1)?.ok).toBe(false);
  });
});
