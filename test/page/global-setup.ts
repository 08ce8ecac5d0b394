import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { ensureChromium } from '../../src/dev/chromium.mjs';
import { buildPageHost } from '../../src/dev/page-host.mjs';
import { FLAGS } from '../support/browser/chromium.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the one browser of all files is. */
    browser: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = await ensureChromium();
  const [server] = await Promise.all([
    chromium.launchServer({ executablePath, args: FLAGS }),
    buildPageHost(),
  ]);
  project.provide('browser', server.wsEndpoint());
  return () => server.close();
}
