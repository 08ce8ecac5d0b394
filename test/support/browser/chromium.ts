import { type Browser, type BrowserServer, chromium, type LaunchOptions } from 'playwright-core';
import { ensureChromium } from '../../../src/dev/chromium.mjs';

/** Of two such lists Chromium reads the last, so this one has what Playwright turns off as well. */
const FEATURES_OFF = [
  // The address bar keeps two pages ready for each browser profile, a second of work, and no test has an address bar.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  // One renderer is kept ready beside each that is used.
  'SpareRendererForSitePerProcess',
  // Playwright's.
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'TcpPortRandomizationWin',
  'ThirdPartyStoragePartitioning',
  'msEdgeUpdateLaunchServicesPreferredVersion',
  'msForceBrowserSignIn',
];

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${FEATURES_OFF.join(',')}`,
  // The workbench asks a gallery on the network; here nothing but this machine can be reached.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];

export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({ ...options, executablePath: await ensureChromium(), args: FLAGS });
}

/** A browser that several files use, each by its address. */
export async function launchBrowserServer(): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath: await ensureChromium(), args: FLAGS });
}
