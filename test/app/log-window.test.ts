import { expect, test } from 'vitest';
import { fillsWindow, firstWindow, lastWindow } from '../../src/app/log-window.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import { made } from '../support/made-events.ts';

function prompts(count: number, chars: number): readonly LogEvent[] {
  return Array.from({ length: count }, (_, seq) =>
    made('user_message', seq, {
      turn_id: 't',
      text: 'x'.repeat(chars),
      client_turn_id: 'c',
      attachments: [],
    }),
  );
}

function seqs(events: readonly LogEvent[]): readonly (number | undefined)[] {
  return [events[0]?.seq, events.at(-1)?.seq];
}

test('a window has so many events of little text', () => {
  expect(seqs(lastWindow(prompts(500, 10)))).toEqual([200, 499]);
  expect(seqs(firstWindow(prompts(500, 10)))).toEqual([0, 299]);
  expect(fillsWindow(prompts(299, 10))).toBe(false);
  expect(fillsWindow(prompts(300, 10))).toBe(true);
});

test('a window has fewer events of much text', () => {
  expect(seqs(lastWindow(prompts(500, 4000)))).toEqual([491, 499]);
  expect(seqs(firstWindow(prompts(500, 4000)))).toEqual([0, 8]);
  expect(fillsWindow(prompts(9, 4000))).toBe(true);
});

test('a window has one event at least, however long that is', () => {
  expect(seqs(lastWindow(prompts(3, 1_000_000)))).toEqual([2, 2]);
  expect(seqs(firstWindow(prompts(3, 1_000_000)))).toEqual([0, 0]);
});

test('few events are one window', () => {
  expect(seqs(lastWindow(prompts(3, 10)))).toEqual([0, 2]);
  expect(lastWindow([])).toEqual([]);
  expect(fillsWindow([])).toBe(false);
});

test('what calls put out counts for little: it is not drawn', () => {
  const results = Array.from({ length: 500 }, (_, seq) =>
    made('tool_result', seq, {
      turn_id: 't',
      call_id: 'c',
      duration_ms: 1,
      ok: true,
      output: 'x'.repeat(1_000_000),
    }),
  );
  expect(lastWindow(results).length).toBeGreaterThan(25);
  expect(lastWindow(results).length).toBeLessThan(35);
});
