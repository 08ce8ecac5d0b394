import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type PageServer, startPageServer } from './bridge/server.ts';
import { GROUPS } from './gallery/all-states.ts';
import { Stage } from './gallery/stage.ts';

let server: PageServer;
let browser: Browser;
beforeAll(async () => {
  browser = await chromium.connect(inject('browser'));
  server = await startPageServer();
});
afterAll(async () => {
  await server.close();
  await browser.close();
});
for (const { states } of GROUPS)
  for (const state of states)
    test.concurrent(state.name, async () => {
      const t0 = performance.now();
      const stage = await Stage.open(server, state, 'dark');
      const t1 = performance.now();
      const page = await browser.newPage({ viewport: { width: 300, height: 640 } });
      await page.goto(stage.url);
      await page.frameLocator('iframe').locator('.log[aria-busy="false"]').waitFor();
      await page
        .frameLocator('iframe')
        .locator(state.look)
        .first()
        .waitFor({ timeout: 5000 })
        .catch((e) => console.log(state.name, 'NO LOOK', String(e).slice(0, 80)));
      const t2 = performance.now();
      await page.screenshot({ path: `/tmp/h/g/dist/pictures/${state.name}.png` });
      console.log(state.name, Math.round(t1 - t0), Math.round(t2 - t1));
      await page.close();
      await stage.close();
      expect(1).toBe(1);
    });
