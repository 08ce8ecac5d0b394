import { expect, test } from 'vitest';
import { type Message, placeArgs, readEvents } from '../support/headless.ts';
import { headlessHere } from '../support/headless-here.ts';
import { says, served } from './served.ts';

const bench = served();

function seqsIn(message: Message): readonly unknown[] {
  const items = message['items'];
  return Array.isArray(items) ? items.map((item: unknown) => (item as { seq: unknown }).seq) : [];
}

test('what is before and after a seq can be asked for, and the answer says what it answers', async () => {
  const run = headlessHere(placeArgs(bench.place, await bench.serve([says('Here it is.')])));
  run.send({ type: 'send', client_turn_id: 't1', text: 'hello' });
  await run.until((message) => message.type === 'append' && JSON.stringify(message).includes('natural_end'));
  const last = (await readEvents(bench.place)).length - 1;
  run.send({ type: 'load_before', seq: 2 });
  const before = await run.until((message) => message.type === 'prepend');
  expect(before).toMatchObject({ before: 2, has_more: false });
  expect(seqsIn(before)).toEqual([0, 1]);
  run.send({ type: 'load_after', seq: 2 });
  const after = await run.until((message) => message.type === 'extend');
  expect(after).toMatchObject({ after: 2, has_later: false });
  expect(seqsIn(after)).toEqual(Array.from({ length: last - 2 }, (_, n) => n + 3));
  run.closeInput();
  expect(await run.exited).toBe(0);
});
