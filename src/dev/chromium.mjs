// @ts-check
import { existsSync } from 'node:fs';
import path from 'node:path';
import { SetupError, step } from './progress.mjs';
import { capture, captureOrFail } from './subprocess.mjs';

const LINUX_NAMES = [
  'google-chrome',
  'google-chrome-stable',
  'chromium',
  'chromium-browser',
  'microsoft-edge',
  'microsoft-edge-stable',
];
const MAC_APPS = [
  'Google Chrome.app/Contents/MacOS/Google Chrome',
  'Chromium.app/Contents/MacOS/Chromium',
  'Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];
const WINDOWS_PROGRAMS = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
];

/**
 * Where a browser of the Chromium family is installed by habit, best first.
 * @param {{platform: NodeJS.Platform, env: NodeJS.ProcessEnv}} machine
 * @returns {string[]}
 */
export function usualPlaces({ platform, env }) {
  if (platform === 'darwin') {
    const folders = ['/Applications', ...(env['HOME'] === undefined ? [] : [`${env['HOME']}/Applications`])];
    return folders.flatMap((folder) => MAC_APPS.map((app) => `${folder}/${app}`));
  }
  if (platform === 'win32') {
    const folders = ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap((name) => env[name] ?? []);
    return folders.flatMap((folder) => WINDOWS_PROGRAMS.map((program) => path.win32.join(folder, program)));
  }
  const folders = [
    ...(env['PATH'] ?? '').split(':').filter(Boolean),
    '/usr/bin',
    '/usr/local/bin',
    '/snap/bin',
  ];
  return LINUX_NAMES.flatMap((name) => folders.map((folder) => `${folder}/${name}`));
}

/** @returns {string | undefined} */
export function findChromium() {
  const named = process.env['CHROME_PATH'];
  if (named !== undefined && named !== '') {
    if (!existsSync(named)) throw new SetupError(`CHROME_PATH names ${named}, which does not exist.`);
    return named;
  }
  return usualPlaces({ platform: process.platform, env: process.env }).find((place) => existsSync(place));
}

/**
 * A browser to drive: the one named by CHROME_PATH, an installed one, or Debian's where it can be installed.
 * @returns {Promise<string>} its executable
 */
export async function ensureChromium() {
  const found = findChromium();
  if (found !== undefined) return found;
  if (await canUseApt()) await step('Installing Chromium', installWithApt);
  const installed = findChromium();
  if (installed !== undefined) return installed;
  throw new SetupError('No Chrome, Chromium or Edge was found: install one, or name it in CHROME_PATH.');
}

async function canUseApt() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  return (await capture({ command: 'apt-get', args: ['--version'] })).code === 0;
}

async function installWithApt() {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Two clones may install at once: apt waits for the other's lock instead of failing.
  const wait = ['-o', 'DPkg::Lock::Timeout=600', '-q'];
  await captureOrFail({ what: 'apt-get update', command: 'apt-get', args: [...wait, 'update'], env });
  await captureOrFail({
    what: 'apt-get install chromium',
    command: 'apt-get',
    args: [...wait, 'install', '-y', '--no-install-recommends', 'chromium'],
    env,
  });
}
