import { expect, test } from 'vitest';
import { Ticker } from '../../webview/ticker.ts';

/** A clock that is moved by hand. */
function clock(page = { hidden: false }): {
  readonly ticker: Ticker;
  readonly tick: () => void;
  readonly running: () => number;
} {
  const timers = new Set<() => void>();
  const ticker = new Ticker({
    every: (_, callback) => {
      timers.add(callback);
      return () => timers.delete(callback);
    },
    isHidden: () => page.hidden,
    onTurn: () => () => undefined,
  });
  return { ticker, tick: () => timers.forEach((callback) => callback()), running: () => timers.size };
}

test('one clock ticks for all, and none while nobody listens', () => {
  const hand = clock();
  const heard: string[] = [];
  expect(hand.running()).toBe(0);
  const ends = ['a', 'b', 'c'].map((name) => hand.ticker.listen(() => heard.push(name)));
  expect(hand.running()).toBe(1);
  hand.tick();
  expect(heard).toEqual(['a', 'b', 'c']);
  ends[1]?.();
  hand.tick();
  expect(heard).toEqual(['a', 'b', 'c', 'a', 'c']);
  for (const end of ends) end();
  expect(hand.running()).toBe(0);
  hand.ticker.listen(() => heard.push('d'));
  expect(hand.running()).toBe(1);
});

test('nobody hears the clock of a page that is not in view', () => {
  const page = { hidden: true };
  const hand = clock(page);
  let ticks = 0;
  hand.ticker.listen(() => (ticks += 1));
  hand.tick();
  page.hidden = false;
  hand.tick();
  expect(ticks).toBe(1);
});
