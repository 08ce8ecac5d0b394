import type { TestProject } from 'vitest/node';
import { launchBrowserServer } from '../support/browser/chromium.ts';
import { oneAfterAnother } from '../support/browser/one-after-another.ts';
import { startServer } from './harness/vscode.ts';

/** One browser and one VS Code for all files: a window in them is one that has most of what it loads in its cache. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const starting = [launchBrowserServer(), startServer()] as const;
  const [shown, served] = await Promise.allSettled(starting);
  if (shown.status === 'rejected' || served.status === 'rejected') {
    await oneAfterAnother(
      () => shown.status === 'fulfilled' && shown.value.close(),
      () => served.status === 'fulfilled' && served.value.stop(),
    );
    // Fails as the one that did not start.
    await Promise.all(starting);
    throw new Error('the browser or the server did not start');
  }
  const browser = shown.value;
  const { stop, ...facts } = served.value;
  project.provide('browser', browser.wsEndpoint());
  project.provide('vscode', facts);
  return () => oneAfterAnother(() => browser.close(), stop);
}
