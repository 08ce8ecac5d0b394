import { expect, test } from 'vitest';
import { headless, placeArgs, readEvents } from '../support/headless.ts';
import { events, HANG, stream } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { isState, says, served } from './served.ts';

const bench = served();

test('a second process reads along while an answer streams in, and what was shown stays after a take-over', async () => {
  const parts = responseEvents({ text: ['Half ', 'an answer.'] });
  const cut = parts.findLastIndex(({ type }) => type === 'response.output_text.delta');
  const url = await bench.serve([stream([events(parts.slice(0, cut)), HANG])]);
  const first = await headless(placeArgs(bench.place, url));
  first.send({ type: 'send', client_turn_id: 't1', text: 'mine' });
  await first.until((message) => message.type === 'delta');

  const second = await headless(placeArgs(bench.place, url));
  second.send({ type: 'ready' });
  expect(await second.until((message) => message.type === 'delta')).toMatchObject({
    kind: 'text',
    text: 'Half ',
  });
  second.send({ type: 'take_over' });
  expect(await second.until(isState('interrupted'))).toMatchObject({ client_turn_id: 't1' });
  first.closeInput();
  second.closeInput();
  await Promise.all([first.exited, second.exited]);
  const failed = (await readEvents(bench.place)).filter((event) => event.type === 'turn_failed');
  expect(failed.map(({ data }) => [data.interrupted_reason, data.error_message])).toEqual([
    ['disconnect', expect.stringContaining('gave the session to another window')],
  ]);
  expect(JSON.stringify(await readEvents(bench.place))).toContain('Half ');
});

test('a second process sees the session live but cannot write until it takes it over', async () => {
  const url = await bench.serve([says('one'), says('two'), says('three')]);
  const first = await headless(placeArgs(bench.place, url));
  first.send({ type: 'send', client_turn_id: 't1', text: 'mine' });
  await first.until(isState('completed'));

  const second = await headless(placeArgs(bench.place, url));
  second.send({ type: 'ready' });
  expect((await second.until((message) => message.type === 'snapshot'))['access']).toMatchObject({
    kind: 'read_only',
    reason: 'held',
  });
  second.send({ type: 'send', client_turn_id: 't2', text: 'let me' });
  expect(await second.until((message) => message.type === 'failure')).toMatchObject({
    for: 'send',
    kind: 'session_held',
    client_turn_id: 't2',
  });

  first.send({ type: 'send', client_turn_id: 't3', text: 'live' });
  await second.until(
    (message) =>
      message.type === 'turn_state' && message['client_turn_id'] === 't3' && message['state'] === 'completed',
  );

  second.send({ type: 'take_over' });
  await second.until(
    (message) => message.type === 'snapshot' && (message['access'] as { kind: string }).kind === 'writer',
  );
  first.send({ type: 'send', client_turn_id: 't4', text: 'lost' });
  expect(await first.until((message) => message.type === 'failure')).toMatchObject({ kind: 'lease_lost' });
  second.send({ type: 'send', client_turn_id: 't5', text: 'now mine' });
  await second.until(
    (message) =>
      message.type === 'turn_state' && message['client_turn_id'] === 't5' && message['state'] === 'completed',
  );
  first.closeInput();
  second.closeInput();
  await Promise.all([first.exited, second.exited]);
  const users = (await readEvents(bench.place)).filter((event) => event.type === 'user_message');
  expect(users.map((event) => event.data.client_turn_id)).toEqual(['t1', 't3', 't5']);
});
