import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LogEvent } from '../../src/runtime/events.ts';
import { bytes, stream, type Reply } from '../support/responses-server/reply.ts';
import { responseEvents, type Answer } from '../support/responses-server/response-events.ts';
import { encodeEvents, inPieces } from '../support/responses-server/sse-encoding.ts';
import { responds } from '../support/responses-server/whole-replies.ts';
import { asks, stage } from './window.ts';

const on = stage();

const ANSWERS: readonly Answer[] = [
  {
    reasoning: { summary: ['Thinking about it.'], encrypted_content: 'opaque' },
    text: ['I look — ', 'and ', 'write ✎.'],
    calls: [
      ...(asks(['c1', 'write_file', { path: 'a.txt', content: 'new' }]).calls ?? []),
      ...(asks(['c2', 'list_files', {}]).calls ?? []),
    ],
  },
  { text: ['Waiting ', 'for you.'] },
  { text: ['Well, ', 'done ', '✓'] },
];

/** What stays the same: everything but ids, times and durations. */
function told(events: readonly LogEvent[]): readonly unknown[] {
  const names = new Map<string, string>();
  const named = (value: string): string => {
    const known = names.get(value) ?? `id_${names.size}`;
    names.set(value, known);
    return known;
  };
  const plain = (key: string, value: unknown): unknown => {
    if (typeof value === 'string' && /^(?:evt|turn|run|sus|dec|decision)_/.test(value)) return named(value);
    if (/(?:_ms|^ts|workspace|endpoint|session_family_hash|session_id)$/.test(key)) return null;
    return key === 'prompt_cache_key' || key === 'decision_id' ? null : value;
  };
  return JSON.parse(JSON.stringify(events, plain)) as readonly unknown[];
}

let sessions = 0;

async function logOf(reply: (answer: Answer) => Reply): Promise<readonly unknown[]> {
  await on.script(...ANSWERS.map(reply));
  const session = `s${(sessions += 1)}`;
  const window = await on.open({}, session);
  expect(await window.turn('Go.')).toBe('waiting');
  await window.decide('c1', 'resume');
  expect(await window.rests()).toBe('completed');
  await window.close();
  const events = await on.events(session);
  await rm(join(on.place.workspace, 'a.txt'));
  return told(events);
}

it('the log is the same whether a response comes in one piece, in many, or byte by byte', async () => {
  const whole = await logOf((answer) => responds(answer));
  const pieces = await logOf((answer) =>
    stream(responseEvents(answer).map((event) => bytes(encodeEvents([event])))),
  );
  const tiny = await logOf((answer) =>
    stream(inPieces(encodeEvents(responseEvents(answer)), 29).map((piece) => bytes(piece))),
  );
  const joined = await logOf((answer) => {
    const { text } = answer;
    return responds(typeof text === 'object' ? { ...answer, text: text.join('') } : answer);
  });
  expect(whole.length).toBeGreaterThan(20);
  expect(pieces).toEqual(whole);
  expect(tiny).toEqual(whole);
  expect(joined).toEqual(whole);
});
