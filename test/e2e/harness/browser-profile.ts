import { type BrowserContext, chromium } from 'playwright-core';
import { inject } from 'vitest';
import type { ServerFacts } from './vscode.ts';
import { CLIPBOARD } from './workbench.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The VS Code that windows share. */
    vscode: ServerFacts;
  }
}

/**
 * One browser profile for all windows of the shared server: what VS Code loads, some twenty megabytes, is then in
 * its cache. What windows before have left there is removed, their sessions and settings have folders of their own.
 */
let profile: Promise<BrowserContext> | undefined;

export async function sharedProfile(): Promise<BrowserContext> {
  profile ??= newProfile();
  const context = await profile;
  await forget(context);
  return context;
}

async function newProfile(): Promise<BrowserContext> {
  const browser = await chromium.connect(inject('browser'));
  return browser.newContext({ permissions: CLIPBOARD });
}

/** Leaves the cache of files alone. */
async function forget(context: BrowserContext): Promise<void> {
  const { port } = inject('vscode');
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Storage.clearDataForOrigin', {
    origin: `http://localhost:${port}`,
    storageTypes: 'cookies,indexeddb,local_storage,service_workers',
  });
  await page.close();
}
