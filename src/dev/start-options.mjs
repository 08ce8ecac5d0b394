// @ts-check
import { SetupError } from './progress.mjs';

/** @typedef {{open: boolean, web: boolean, smoke: boolean, fresh: boolean, port: number}} StartOptions */

/**
 * @param {readonly string[]} args
 * @returns {StartOptions}
 */
export function parseStartOptions(args) {
  const options = { open: true, web: false, smoke: false, fresh: false, port: 0 };
  for (let index = 0; index < args.length; index += 1) {
    const [name = '', inline] = (args[index] ?? '').split('=', 2);
    if (name === '--no-open') options.open = false;
    else if (name === '--web') options.web = true;
    else if (name === '--fresh') options.fresh = true;
    else if (name === '--smoke') Object.assign(options, { smoke: true, web: true, open: false });
    else if (name === '--port') options.port = parsePort(inline ?? args[(index += 1)]);
    else throw new SetupError(`unknown option ${name}: one of --no-open, --web, --port N, --fresh, --smoke.`);
  }
  return options;
}

/**
 * @param {string | undefined} value as it was typed
 * @returns {number}
 */
export function parsePort(value = '') {
  if (!/^\d+$/.test(value) || Number(value) > 65_535)
    throw new SetupError(`--port needs a port, not "${value}".`);
  return Number(value);
}

/**
 * Whether a window can be shown at all.
 * @param {{platform: NodeJS.Platform, env: NodeJS.ProcessEnv}} machine
 */
export function hasDisplay({ platform, env }) {
  if (platform !== 'linux') return true;
  return Boolean(env['DISPLAY']) || Boolean(env['WAYLAND_DISPLAY']);
}

/**
 * The command that shows an address in the person's browser.
 * @param {{platform: NodeJS.Platform, url: string}} options
 * @returns {{command: string, args: string[]}}
 */
export function browserCommand({ platform, url }) {
  if (platform === 'darwin') return { command: 'open', args: [url] };
  // rundll32 takes the address as it is; cmd's start would cut it at the first ampersand.
  if (platform === 'win32') return { command: 'rundll32', args: ['url.dll,FileProtocolHandler', url] };
  return { command: 'xdg-open', args: [url] };
}
