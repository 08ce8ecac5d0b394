import { expect, test } from 'vitest';
import type { ProviderEvent } from '../../src/runtime/ports.ts';
import {
  answer,
  apiError,
  events,
  HANG,
  oddStreamOf,
  type Reply,
  stream,
} from '../support/responses-server/reply.ts';
import { responseEvents, unfinishedEvents } from '../support/responses-server/response-events.ts';
import { endsEarly, failsWith, responds } from '../support/responses-server/whole-replies.ts';
import { REQUEST } from './requests.ts';
import { followedBy, sentAs, socketBench } from './socket-serving.ts';

/** Whatever an endpoint says, the key that it was sent never gets into an event, and so not into the log. */

/** Looks like no key: only who knows it can tell. */
const SECRET = '0f9e8d7c6b5a49382716f5e4d3c2b1a0';
const QUERY = 'query-secret-zyxwvut';
/** So long that some limit cuts it in the middle of the secret. */
const CUT = [`${'x'.repeat(80)}${SECRET}`, `${'x'.repeat(185)}${SECRET}`, `${'y'.repeat(280)}${SECRET}`];

const DIAGNOSTICS = { type: SECRET, reason: `${'r'.repeat(80)}${SECRET}`, cache_missed_tokens: 1 };
const ODD = [SECRET, ...CUT, `seen?key=${QUERY}`].flatMap((word) => [
  { type: `vendor.${word}` },
  { type: 'response.output_item.added', item: { type: word } },
]);

test.each<[string, Reply]>([
  ['an error body', apiError(401, { message: `Wrong: ${SECRET}`, code: SECRET, type: SECRET })],
  [
    'an error page',
    answer(502, `<title>${'t'.repeat(180)}${SECRET}</title>`, { 'content-type': 'text/html' }),
  ],
  ['words instead of a stream', answer(200, CUT[2] ?? '', { 'content-type': `text/${SECRET}` })],
  ['the headers of an error', apiError(500, {}, { 'x-request-id': SECRET })],
  ['the URL that was asked', apiError(404, { message: `Cannot POST /v1/responses?key=${QUERY}` })],
  ['a redirect', answer(302, '', { location: `https://elsewhere.test/${SECRET}` })],
  ['an error in the stream', oddStreamOf([{ type: 'error', code: SECRET, message: `Bearer ${SECRET}` }])],
  ['a failed response', failsWith(SECRET, CUT.join(' '))],
  ['an incomplete response', endsEarly({}, SECRET)],
  ['a status that nobody knows', oddStreamOf([{ type: 'response.completed', response: { status: SECRET } }])],
  ['events that nobody knows', oddStreamOf([...ODD, ...responseEvents({ text: 'ok' })])],
  ['the name of a response', responds({ id: `resp_${SECRET}`, text: 'ok' })],
  ['what it says of the cache', responds({ text: 'ok', cache_diagnostics: DIAGNOSTICS as never })],
])('a key in %s is hidden over both transports', async (_name, reply) => {
  for (const transport of ['sse', 'websocket'] as const) {
    const bench = await socketBench({ script: [reply] }, { transport, apiKey: SECRET });
    const told = await bench.ask(undefined, bench.again({ baseUrl: `${bench.server.url}?key=${QUERY}` }));
    expect(told.at(-1)?.kind).toMatch(/completed|failed/u);
    expectNoSecret(told);
  }
});

test('a key in the reason of a close is hidden', async () => {
  const bench = await socketBench(
    { script: [stream([events(unfinishedEvents({}).slice(0, 1)), HANG])] },
    { apiKey: SECRET },
  );
  const asked = bench.ask();
  await bench.server.request(0);
  bench.server.sockets[0]?.socket.close(1008, `not with ${SECRET}`);
  const told = await asked;
  expect(JSON.stringify(told)).toContain('1008: not with [hidden]');
  expectNoSecret(told);
});

test('a key in the answer to a handshake is hidden', async () => {
  const upgrade = (): Reply => answer(401, `denied: ${SECRET}`, { 'x-request-id': SECRET });
  const bench = await socketBench({ upgrade }, { apiKey: SECRET });
  expectNoSecret(await bench.ask());
});

test('a name of any length is cut for the log, and continued from as it is', async () => {
  const id = `resp_${'n'.repeat(500)}`;
  const hello = responds({ id, text: 'Hello.' });
  const bench = await socketBench({ script: [hello, hello] });
  const told = (await bench.ask()).at(-1);
  expect(told?.kind === 'completed' ? told.response_id?.length : null).toBe(200);
  expect(sentAs(await bench.ask(followedBy(REQUEST, 'Hello.', 'And?')))).toEqual([
    'websocket',
    'continued',
    null,
  ]);
});

function expectNoSecret(told: readonly ProviderEvent[]): void {
  const text = JSON.stringify(told);
  for (const secret of [SECRET, QUERY]) expect(text).not.toContain(secret.slice(0, 8));
}
