import type { TestProject } from 'vitest/node';
import { buildPageHost } from '../../src/dev/page-host.mjs';
import { launchBrowserServer } from '../support/browser/chromium.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the one browser of all files is. */
    browser: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [server] = await Promise.all([launchBrowserServer(), buildPageHost()]);
  project.provide('browser', server.wsEndpoint());
  return () => server.close();
}
