import { expect, test } from 'vitest';
import type { LogEvent } from '../../src/runtime/events.ts';
import { once, placeArgs, readEvents, type Run } from '../support/headless.ts';
import { headlessHere, onceHere } from '../support/headless-here.ts';
import { programTime } from '../support/program-time.ts';
import { isRunning } from '../support/running-process.ts';
import {
  apiError,
  CUT,
  events,
  HANG,
  stream,
  streamOf,
  type Reply,
} from '../support/responses-server/reply.ts';
import {
  failedEvents,
  incompleteEvents,
  responseEvents,
  unfinishedEvents,
} from '../support/responses-server/response-events.ts';
import { says, served } from './served.ts';

const bench = served();
const time = programTime();

const down = (): Reply => apiError(500, { message: 'down' }, { 'retry-after-ms': '1' });
const asks = (name: string, args: unknown, call_id = 'call_1'): Reply =>
  streamOf(responseEvents({ calls: [{ call_id, name, args }] }));

/** What the log says of the end of its last turn. */
function ending(log: readonly LogEvent[]): object {
  const failed = log.findLast((event) => event.type === 'turn_failed');
  const partial = log.findLast((event) => event.type === 'assistant_message' && event.data.metadata.partial);
  const run = log.findLast((event) => event.type === 'run_status');
  return {
    status: failed?.data.terminal_status ?? null,
    kind: failed?.data.error_kind ?? null,
    partial: partial?.type === 'assistant_message' ? partial.data.text : null,
    run: run?.data.reason ?? null,
  };
}

test('a clean answer completes the turn and exits 0', async () => {
  const { code } = await once(bench.place, await bench.serve([says('All good.')]), 'hello');
  expect(code).toBe(0);
  const log = await readEvents(bench.place);
  expect(log.map((event) => event.type)).toEqual([
    'session_started',
    'developer_context',
    'user_message',
    'run_status',
    'assistant_message',
    'provider_usage',
    'run_status',
  ]);
  expect(ending(log)).toEqual({ status: null, kind: null, partial: null, run: 'natural_end' });
});

test.each<[string, () => readonly Reply[], number, object]>([
  [
    'a stream that is cut after text is partial_failed and exits 2',
    () => [stream([events(unfinishedEvents({ text: ['Half an ', 'answer'] })), CUT])],
    2,
    { status: 'partial_failed', kind: 'stream_cut', partial: 'Half an answer', run: 'error' },
  ],
  [
    'a stream that ends without a terminal frame is partial_failed',
    () => [stream([events(unfinishedEvents({ text: 'Half' }))])],
    2,
    { status: 'partial_failed', kind: 'stream_cut', partial: 'Half', run: 'error' },
  ],
  [
    'an incomplete response is partial_failed',
    () => [streamOf(incompleteEvents({ text: 'Too long' }, 'max_output_tokens'))],
    2,
    { status: 'partial_failed', kind: 'output_limit', partial: 'Too long', run: 'error' },
  ],
  [
    'a content filter after text is partial_failed',
    () => [streamOf(incompleteEvents({ text: 'Bad w' }, 'content_filter'))],
    2,
    { status: 'partial_failed', kind: 'content_filter', partial: 'Bad w', run: 'error' },
  ],
  [
    'a failed response after text is partial_failed',
    () => [streamOf(failedEvents({ text: 'Some' }, { code: 'server_error', message: 'boom' }))],
    2,
    { status: 'partial_failed', kind: 'server_error', partial: 'Some', run: 'error' },
  ],
  [
    'a refusal fails the turn and exits 3',
    () => [streamOf(responseEvents({ refusal: 'I cannot help with that.' }))],
    3,
    { status: 'failed', kind: 'refusal', partial: null, run: 'error' },
  ],
  [
    'an empty response fails the turn',
    () => [streamOf(responseEvents({}))],
    3,
    { status: 'failed', kind: 'empty_response', partial: null, run: 'error' },
  ],
  [
    'an answer of white space fails the turn',
    () => [streamOf(responseEvents({ text: ' \n ' }))],
    3,
    { status: 'failed', kind: 'empty_response', partial: null, run: 'error' },
  ],
  [
    'a bad key fails the turn',
    () => [apiError(401, { message: 'Incorrect API key provided', code: 'invalid_api_key' })],
    3,
    { status: 'failed', kind: 'auth', partial: null, run: 'error' },
  ],
  [
    'an unknown model fails the turn',
    () => [apiError(404, { message: 'The model does not exist', code: 'model_not_found' })],
    3,
    { status: 'failed', kind: 'model_not_found', partial: null, run: 'error' },
  ],
  [
    'a context overflow fails the turn',
    () => [apiError(400, { message: 'too long', code: 'context_length_exceeded' })],
    3,
    { status: 'failed', kind: 'context_overflow', partial: null, run: 'error' },
  ],
  [
    'garbage instead of frames fails the turn',
    () => [stream([{ kind: 'bytes', bytes: 'data: {not json\n\n' }])],
    3,
    { status: 'failed', kind: 'malformed_stream', partial: null, run: 'error' },
  ],
])('%s', async (_name, script, expected, end) => {
  const { code } = await onceHere(bench.place, await bench.serve(script()), 'hello');
  expect({ code, ...ending(await readEvents(bench.place)) }).toEqual({ code: expected, ...end });
});

test.each<[string, number, Reply]>([
  ['cut off', 2, stream([events(unfinishedEvents({ text: 'Half' })), CUT])],
  ['refused', 3, streamOf(responseEvents({ refusal: 'No.' }))],
])('the process of a turn that is %s exits %i', async (_name, expected, reply) => {
  const { code } = await once(bench.place, await bench.serve([reply]), 'hello');
  expect(code).toBe(expected);
});

test('of a response that did not complete only the text is kept: no call, no reasoning', async () => {
  const url = await bench.serve([
    stream([
      events(
        unfinishedEvents({
          reasoning: { encrypted_content: 'secret' },
          text: 'I will run it',
          calls: [{ call_id: 'c1', name: 'run_command', args: { command: 'touch ran', timeout_s: null } }],
        }),
      ),
      CUT,
    ]),
  ]);
  const { code } = await onceHere(bench.place, url, 'go');
  const types = (await readEvents(bench.place)).map((event) => event.type);
  expect(code).toBe(2);
  expect(types.filter((type) => type === 'tool_call' || type === 'reasoning')).toEqual([]);
});

/** How a turn exits that has begun to answer, so much later. */
async function codeAfter(seconds: number, url: string, limit: string): Promise<Awaited<Run['exited']>> {
  const run = headlessHere([...placeArgs(bench.place, url, { set: [limit] }), '--once', 'hello']);
  await run.until(({ type }) => type === 'delta');
  await time.skip(seconds * 1000);
  return run.exited;
}

test('a hanging provider is interrupted by the turn timeout and exits 5', async () => {
  const url = await bench.serve([stream([events(unfinishedEvents({ text: 'Thinking' })), HANG])]);
  const code = await codeAfter(9, url, 'turnTimeout=9');
  const log = await readEvents(bench.place);
  const failed = log.findLast((event) => event.type === 'turn_failed');
  expect({ code, ...ending(log) }).toEqual({
    code: 5,
    status: 'timed_out',
    kind: 'stopped:timeout',
    partial: 'Thinking',
    run: 'stopped:timeout',
  });
  expect(failed?.data.timeout_ms).toBe(9000);
  expect(failed?.data.elapsed_ms).toBeGreaterThanOrEqual(9000);
  expect(failed?.data.next_actions.length).toBeGreaterThan(0);
});

/** The budget of the first that lets the command begin: on a busy machine the shortest may be over before. */
const BUDGETS = [1, 5, 25];

test('a hanging command is killed by the turn timeout and exits 5', async () => {
  const hanging = asks('run_command', { command: 'echo $$ > pid; sleep 300', timeout_s: null });
  const url = await bench.serve(BUDGETS.map(() => hanging));
  let pid: number | undefined;
  for (const seconds of BUDGETS) {
    const session = `within-${seconds}`;
    const { code } = await once(bench.place, url, 'hello', { session, set: [`turnTimeout=${seconds}`] });
    const log = await readEvents(bench.place, session);
    expect({ code, ...ending(log) }).toMatchObject({ code: 5, status: 'timed_out' });
    const started = log.findLast(
      (event) => event.type === 'tool_call_status' && event.data.process !== undefined,
    );
    if (started?.type !== 'tool_call_status') continue;
    expect(log.filter((event) => event.type === 'tool_result').map((event) => event.data.ok)).toEqual([
      false,
    ]);
    pid = started.data.process?.pid;
    break;
  }
  expect(isRunning(pid ?? 0)).toBe(false);
});

test('an idle stream fails the turn after the idle limit', async () => {
  const url = await bench.serve([stream([events(unfinishedEvents({ text: 'Then nothing' })), HANG])]);
  const code = await codeAfter(9, url, 'streamIdleTimeout=9');
  expect({ code, ...ending(await readEvents(bench.place)) }).toEqual({
    code: 2,
    status: 'partial_failed',
    kind: 'stream_idle',
    partial: 'Then nothing',
    run: 'error',
  });
});

test.each<[string, readonly string[], readonly Reply[], string]>([
  [
    'max_rounds',
    ['maxRounds=2'],
    [1, 2, 3].map((n) => asks('list_files', { path: null, glob: `*${n}` }, `c${n}`)),
    'stopped:max_rounds',
  ],
  [
    'loop_detected',
    [],
    [1, 2, 3, 4, 5, 6, 7].map((n) => asks('list_files', { path: null, glob: null }, `c${n}`)),
    'stopped:loop_detected',
  ],
  [
    'consecutive_errors',
    [],
    [1, 2, 3, 4, 5, 6].map((n) =>
      asks('read_file', { path: `none${n}`, start_line: null, end_line: null }, `c${n}`),
    ),
    'stopped:consecutive_errors',
  ],
  [
    'token_budget',
    ['tokenBudget=200'],
    [1, 2, 3].map((n) => asks('list_files', { path: null, glob: `*${n}` }, `c${n}`)),
    'stopped:token_budget',
  ],
])('the stop condition %s ends the turn as failed', async (_name, set, script, kind) => {
  const { code } = await onceHere(bench.place, await bench.serve(script), 'hello', { set });
  expect({ code, ...ending(await readEvents(bench.place)) }).toEqual({
    code: 3,
    status: 'failed',
    kind,
    partial: null,
    run: kind,
  });
});

test('a limit of requests is retried after the time it asks for, and each attempt is in the log', async () => {
  const url = await bench.serve([
    apiError(429, { message: 'slow down', code: 'rate_limit_exceeded' }, { 'retry-after-ms': '20' }),
    apiError(503, { message: 'down' }, { 'retry-after-ms': '30' }),
    says('Here I am.'),
  ]);
  const { code } = await onceHere(bench.place, url, 'hello');
  const retries = (await readEvents(bench.place)).filter((event) => event.type === 'diagnostic');
  expect(code).toBe(0);
  expect(retries.map((event) => event.data.code)).toEqual(['provider_retry', 'provider_retry']);
  expect(bench.server?.requests.map((request) => request.raw).every((raw, _i, all) => raw === all[0])).toBe(
    true,
  );
});

test('three failed attempts are the end', async () => {
  const { code } = await onceHere(
    bench.place,
    await bench.serve([down(), down(), down(), says('late')]),
    'hello',
  );
  expect({ code, requests: bench.server?.requests.length, ...ending(await readEvents(bench.place)) }).toEqual(
    {
      code: 3,
      requests: 3,
      status: 'failed',
      kind: 'server_error',
      partial: null,
      run: 'error',
    },
  );
});
