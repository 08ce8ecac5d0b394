import { expect, test } from 'vitest';
import type { RequestReport } from '../../src/runtime/inspection/request-report.ts';
import { inspectHere, onceHere } from '../support/headless-here.ts';
import { apiError, streamOf, type Reply } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { says, served } from './served.ts';

const bench = served();

const READS: Reply = streamOf(
  responseEvents({ calls: [{ call_id: 'c1', name: 'list_files', args: { path: null, glob: null } }] }),
);

const DOWN = apiError(500, { message: 'down' }, { 'retry-after-ms': '1' });

async function replay(at: number | null): Promise<RequestReport> {
  const args = ['replay', '--storage', bench.place.storage, '--session', 's1'];
  const { code, document } = await inspectHere(at === null ? args : [...args, '--at', String(at)]);
  expect(code).toBe(0);
  return document as RequestReport;
}

test('replay leads from request to request, and tells of each what was sent and what came of it', async () => {
  const url = await bench.serve([READS, says('one'), DOWN, says('two')]);
  await onceHere(bench.place, url, 'first');
  await onceHere(bench.place, url, 'second');
  const { requests, request_count, on_record, model } = await replay(null);
  expect([requests.length, request_count, on_record]).toEqual([3, 3, null]);
  const reports = await Promise.all(requests.map(({ at_seq }) => replay(at_seq)));
  // Of the third call the first attempt failed.
  const sent = [0, 1, 3].map((index) => bench.sent(index));
  expect(reports.map(({ items }) => items.map(({ item }) => item))).toEqual(sent);
  expect(reports.map(({ on_record: it }) => [it?.iteration, it?.transport, it?.attempts, it?.model])).toEqual(
    [
      [1, 'http_sse', 1, model],
      [2, 'http_sse', 1, model],
      [1, 'http_sse', 2, model],
    ],
  );
  for (const { on_record: it } of reports)
    expect(it).toMatchObject({
      tokens: { input: 100, cached: 40, output: 20, reasoning: 8, total: 120 },
      cache_hit_rate: 0.4,
      continuation: { attempted: false, used: false },
      context: { tier: expect.any(String) as string },
      output_truncation: 'not_truncated',
    });
  expect(reports.map(({ items }) => items.filter(({ shared }) => shared).length)).toEqual([
    0,
    sent[0]?.length,
    sent[1]?.length,
  ]);
  expect(reports.map(({ shared_prefix: { whole, previous } }) => [whole, previous?.at_seq])).toEqual([
    [true, undefined],
    [true, requests[0]?.at_seq],
    [true, requests[1]?.at_seq],
  ]);
  expect(reports.map(({ following }) => following?.at_seq)).toEqual([
    requests[1]?.at_seq,
    requests[2]?.at_seq,
    undefined,
  ]);
});

test('replay of a log of one event, and of a seq before any request', async () => {
  const url = await bench.serve([says('one')]);
  await onceHere(bench.place, url, 'first');
  expect(await replay(0)).toMatchObject({
    at_seq: 0,
    on_record: null,
    items: [],
    excluded: [{ seq: 0, type: 'session_started', reason: 'audit' }],
    shared_prefix: { items: 0, of_previous: 0, previous: null },
    following: { at_seq: 3 },
    problems: [],
  });
});
