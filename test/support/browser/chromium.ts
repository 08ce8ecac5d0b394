import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { ensureChromium } from '../../../src/dev/chromium.mjs';

export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The workbench asks a gallery on the network; here nothing but this machine can be reached.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];

export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({ ...options, executablePath: await ensureChromium(), args: FLAGS });
}
