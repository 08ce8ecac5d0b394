import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BrowserServer } from 'playwright-core';
import { launchBrowserServer } from '../support/browser/chromium.ts';

const LIST = '--disable-features=';

let browser: BrowserServer;

beforeAll(async () => {
  browser = await launchBrowserServer();
});

afterAll(() => browser.close());

test('what Playwright turns off in Chromium stays off beside what the tests turn off', () => {
  const lists = browser
    .process()
    .spawnargs.filter((one) => one.startsWith(LIST))
    .map((one) => one.slice(LIST.length).split(','));
  const [playwrights = [], ours = []] = lists;
  expect(lists).toHaveLength(2);
  expect(playwrights.filter((name) => !ours.includes(name))).toEqual([]);
});
