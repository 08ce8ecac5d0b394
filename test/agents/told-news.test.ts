import { afterEach, beforeEach, expect, it } from 'vitest';
import { LiveChild } from '../../src/app/agents/live-child.ts';
import { ToldNews } from '../../src/app/agents/told-news.ts';
import { nodeClock } from '../../src/app/node-ports.ts';
import { makePlace } from '../support/headless.ts';
import { Supervised } from './supervised.ts';

let place: Awaited<ReturnType<typeof makePlace>>;

beforeEach(async () => {
  place = await makePlace();
});

afterEach(() => place.remove());

/** Times that come when the test says so. */
class Times {
  readonly set: { fact: (() => void)[]; sign: (() => void)[] } = { fact: [], sign: [] };
  readonly told: (readonly string[])[] = [];
  readonly news = new ToldNews(
    { fact: (callback) => this.set.fact.push(callback), sign: (callback) => this.set.sign.push(callback) },
    (which) => this.told.push(which.map(({ id }) => id)),
  );

  come(what: 'fact' | 'sign'): void {
    for (const callback of this.set[what].splice(0)) callback();
  }
}

const [a, b] = ['a', 'b'].map((id) => new LiveChild(id, { kind: 'task' }, nodeClock)) as [
  LiveChild,
  LiveChild,
];

it('signs of life are told together and seldom, and facts of one child do not bring those of others along', () => {
  const times = new Times();
  for (let n = 0; n < 100; n += 1) for (const live of [a, b]) times.news.note(live, 'sign');
  expect(times.set.sign).toHaveLength(1);
  times.news.note(a, 'fact');
  times.come('fact');
  expect(times.told).toEqual([['a']]);
  times.come('sign');
  expect(times.told).toEqual([['a'], ['b']]);
  times.news.note(a, 'sign');
  times.come('sign');
  expect(times.told).toEqual([['a'], ['b'], ['a']]);
});

it('nothing is told of those that were forgotten', () => {
  const times = new Times();
  times.news.note(a, 'fact');
  times.news.note(b, 'sign');
  times.news.forget();
  times.come('fact');
  times.come('sign');
  expect(times.told).toEqual([]);
});

it('what a child says as it comes is a sign of life, and everything else a fact', async () => {
  const on = new Supervised(place.storage, async () => 'Some words.');
  await on.spawn('a');
  await on.over();
  expect(on.news.filter((what) => what === 'sign').length).toBeGreaterThan(0);
  expect(on.news.at(-1)).toBe('fact');
  expect(on.news.indexOf('fact')).toBeLessThan(on.news.indexOf('sign'));
});
