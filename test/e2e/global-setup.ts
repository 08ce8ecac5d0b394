import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { ensureChromium } from '../../src/dev/chromium.mjs';
import { FLAGS } from '../support/browser/chromium.ts';
import { startServer } from './harness/vscode.ts';

/** One browser and one VS Code for all files: a window in them is one that has most of what it loads in its cache. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = await ensureChromium();
  const [browser, { stop, ...facts }] = await Promise.all([
    chromium.launchServer({ executablePath, args: FLAGS }),
    startServer(),
  ]);
  project.provide('browser', browser.wsEndpoint());
  project.provide('vscode', facts);
  return async () => {
    await browser.close();
    await stop();
  };
}
