import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SEARCHING, searchCases } from '../support/search-runs.ts';
import { makePlace } from '../support/headless.ts';
import type { CacheUse } from '../support/responses-server/prompt-cache.ts';
import { bill, billWith, HABITS } from '../support/long-session/layouts.ts';
import { playLongSession, type Played } from '../support/long-session/play.ts';
import { prefixOf } from '../support/long-session/prefixes.ts';
import {
  ALL_TURNS,
  ASKS_FROM,
  AUTO_FROM,
  COMPACTED_BEFORE,
  EVENTFUL_TURNS,
  FAILED_TURN,
  FORKED_AFTER,
  FORKED_FROM,
  longSession,
  RETURNED_AT,
  STOPPED_TURN,
} from '../support/long-session/script.ts';

/**
 * A long day with tools, approvals, a stop, a failure, another branch, another mode, a fork and a compaction, through the
 * real conversation, over each transport. The server reads the prompts as prompt caching would. Of its 200 turns those
 * are left out that only come again; a longer search and `npm run bench` have them all.
 */

const PLAYED = searchCases(ALL_TURNS, EVENTFUL_TURNS);

const LONG_MS = 120_000;
let places: Awaited<ReturnType<typeof makePlace>>[] = [];
let sse: Played;
let websocket: Played;

beforeAll(async () => {
  places = await Promise.all([makePlace(), makePlace()]);
  const [one, other] = places;
  if (one === undefined || other === undefined) throw new Error('no place');
  [sse, websocket] = await Promise.all([
    playLongSession(one, 'sse', PLAYED),
    playLongSession(other, 'websocket', PLAYED),
  ]);
}, LONG_MS);

afterAll(async () => {
  for (const place of places) await place.remove();
});

/** A call waits beside one that does not, and is decided: the placeholder in the input goes. */
const DECIDED = PLAYED.filter((turn) => turn % 20 === 8);

/** In another log than the others. */
function isInFork(turn: number): boolean {
  return turn >= FORKED_FROM && turn < RETURNED_AT;
}

/** In auto mode nobody is asked. */
function isUnasked(turn: number): boolean {
  return turn >= AUTO_FROM && turn < ASKS_FROM;
}

function tokensToldBy({ usages }: Played): readonly CacheUse[] {
  return usages.flatMap(({ tokens: { input, cached } }) =>
    input === null || cached === null ? [] : [{ input, cached }],
  );
}

function bytesOf({ asked }: Played): number {
  return asked.reduce((sum, { request }) => sum + Buffer.byteLength(request.raw), 0);
}

describe.each(['sse', 'websocket'] as const)('a long session over %s', (transport) => {
  const played = (): Played => (transport === 'sse' ? sse : websocket);

  test('has at least 95 % of its input from the prompt cache, by the server and by the log', () => {
    const { readings } = played();
    expect(new Set(readings.map(({ turn }) => turn)).size).toBe(PLAYED.length - 1);
    expect(bill(readings.map(({ found }) => found)).share).toBeGreaterThanOrEqual(0.95);
    expect(bill(tokensToldBy(played())).share).toBeGreaterThanOrEqual(0.95);
  });

  test('is what it is to be: all of it happened, and only what the person denied has failed', () => {
    const [session = [], fork = []] = played().logs;
    const count = (type: string): number => session.filter((event) => event.type === type).length;
    expect({
      notes: count('interruption_note'),
      failures: count('turn_failed'),
      contexts: count('developer_context'),
      checkpoints: count('history_compaction'),
      forks: fork.filter((event) => event.type === 'session_fork').length,
    }).toEqual({ notes: 1, failures: 2, contexts: 4, checkpoints: 1, forks: 1 });
    const all = [...session, ...fork];
    const results = all.flatMap((event) => (event.type === 'tool_result' ? [event.data] : []));
    expect(new Set(results.flatMap(({ error }) => (error === undefined ? [] : [error.kind])))).toEqual(
      new Set(['denied']),
    );
    const decided = session.flatMap((event) =>
      event.type === 'tool_call_decision' ? [event.data.action] : [],
    );
    const asked = longSession(PLAYED).filter(({ turn }) => !isInFork(turn) && !isUnasked(turn));
    expect(decided).toEqual(asked.flatMap(({ decisions }) => decisions.flat().map(([, action]) => action)));
    expect(new Set(decided)).toEqual(new Set(['resume', 'cancel']));
    expect(new Set(all.flatMap((event) => (event.type === 'tool_call' ? [event.data.name] : [])))).toEqual(
      new Set([
        'edit_file',
        'list_files',
        'read_file',
        'run_command',
        'search_text',
        'update_plan',
        'write_file',
      ]),
    );
  });

  test('has nothing refused', () => {
    expect(played().refused).toEqual([]);
  });

  test('says of every call in its log what the server counted, and of the others that it does not know', () => {
    const { asked, readings, usages } = played();
    expect(usages).toHaveLength(asked.length);
    const said = usages.map(({ tokens, cache_hit_rate, prompt_cache_key }) => {
      const { input, cached } = tokens;
      return { input, cached, cache_hit_rate, prompt_cache_key };
    });
    const counted = readings
      .filter(({ told }) => told)
      .map(({ found, key }) => {
        const cache_hit_rate = found.cached / found.input;
        return { ...found, cache_hit_rate, prompt_cache_key: key };
      });
    expect(said.filter(({ input }) => input !== null)).toEqual(counted);
    const unknown = { input: null, cached: null, cache_hit_rate: null };
    expect(said.filter(({ input }) => input === null)).toMatchObject([unknown, unknown]);
    expect(asked.filter((_, index) => said[index]?.input === null).map(({ turn }) => turn)).toEqual([
      STOPPED_TURN,
      FAILED_TURN,
    ]);
  });

  test('finds nothing only at its start and in a mode it is in for the first time', () => {
    const cold = played().readings.filter(({ found }) => found.cached === 0);
    expect(cold.map(({ turn }) => turn)).toEqual([1, AUTO_FROM]);
  });

  test('finds in its fork all that the fork has of its parent', () => {
    const { asked, readings } = played();
    const first = readings.find(({ session_id }) => session_id !== readings[0]?.session_id);
    const shared = readings.findLast(({ turn }) => turn === FORKED_AFTER);
    expect(first?.turn).toBe(FORKED_FROM);
    expect(first?.key).toBe(shared?.key);
    expect(first?.found.cached).toBeGreaterThan((shared?.found.input ?? Infinity) - 128);
    expect(new Set(asked.map(({ session_id }) => session_id)).size).toBe(2);
  });
});

test('each request begins with the whole one before it, but for decided calls and the checkpoint', () => {
  const others = sse.asked.flatMap((one) => {
    const prefix = prefixOf(one);
    return prefix === 'extended' ? [] : [[one.turn, prefix]];
  });
  const decided = DECIDED.filter((turn) => turn < COMPACTED_BEFORE).map((turn) => [
    turn,
    'pending_call_decided',
  ]);
  expect(others).toEqual([
    [1, 'first'],
    ...decided,
    [COMPACTED_BEFORE, 'compacted'],
    [188, 'pending_call_decided'],
  ]);
  const ahead = sse.readings.map(({ prompt: { instructions, tools } }) =>
    JSON.stringify([instructions, tools]),
  );
  expect(new Set(ahead).size).toBe(1);
});

function changed(from: number, to: number): readonly unknown[] {
  return DECIDED.filter((turn) => turn > from && turn < to).map((turn) => [turn, 'input_changed']);
}

test('a socket is told only what is new, but for what it cannot know', () => {
  const resets = websocket.usages.flatMap(({ continuation }, index) =>
    continuation.used ? [] : [[websocket.asked[index]?.turn, continuation.reset_reason]],
  );
  expect(resets).toEqual([
    [1, 'no_previous_response'],
    ...changed(1, STOPPED_TURN),
    [STOPPED_TURN + 1, 'previous_response_failed'],
    ...changed(STOPPED_TURN, FAILED_TURN),
    [FAILED_TURN, 'unanswered'],
    [FAILED_TURN + 1, 'previous_response_failed'],
    ...changed(FAILED_TURN, FORKED_FROM),
    [FORKED_FROM, 'no_previous_response'],
    ...changed(FORKED_FROM, RETURNED_AT),
    [RETURNED_AT, 'no_previous_response'],
    ...changed(RETURNED_AT, COMPACTED_BEFORE),
    [COMPACTED_BEFORE, 'input_changed'],
    ...changed(COMPACTED_BEFORE, Infinity),
  ]);
  expect(websocket.sockets).toBe(4);
  expect(bytesOf(websocket)).toBeLessThan(bytesOf(sse) / (SEARCHING ? 9 : 5));
});

test('both transports cost the same tokens, call by call', () => {
  expect(tokensToldBy(websocket)).toEqual(tokensToldBy(sse));
});

test('without the layers, the same session pays more than twenty times as much', () => {
  const some = sse.readings.slice(0, 100);
  expect(billWith(new Set(), some)).toEqual(bill(some.map(({ found }) => found)));
  const ours = bill(sse.readings.map(({ found }) => found));
  const naive = billWith(new Set(HABITS), sse.readings);
  expect(naive.paid).toBeGreaterThan(20 * ours.paid);
});
