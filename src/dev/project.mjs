// @ts-check
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top folder of this clone. */
export const PROJECT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** @param {readonly string[]} parts */
export function projectPath(...parts) {
  return path.join(PROJECT, ...parts);
}

export const VSIX = projectPath('dist', 'ledgerline.vsix');

export const NOTICES = projectPath('dist', 'ThirdPartyNotices.txt');
