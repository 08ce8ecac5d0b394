// @ts-check
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { SetupError } from './progress.mjs';
import { projectPath } from './project.mjs';

/**
 * The packages of others that are part of a build, by the files that went into it.
 * @param {readonly string[]} inputs
 * @returns {readonly string[]}
 */
export function packagesIn(inputs) {
  const names = inputs.flatMap((input) => {
    const inner = input.replaceAll('\\', '/').split('node_modules/').at(-1) ?? '';
    if (!input.includes('node_modules')) return [];
    const [first = '', second = ''] = inner.split('/');
    return first.startsWith('@') ? `${first}/${second}` : first;
  });
  return [...new Set(names)].toSorted();
}

/**
 * Their names, versions and licences, word for word. A package without a licence text cannot be shipped.
 * @param {readonly string[]} inputs
 * @returns {Promise<string>}
 */
export async function noticesOf(inputs) {
  const notices = await Promise.all(packagesIn(inputs).map(noticeOf));
  return ['Ledgerline is packaged with the following software of others.', ...notices].join(
    `\n\n${'-'.repeat(72)}\n\n`,
  );
}

/** @param {string} name */
async function noticeOf(name) {
  const folder = projectPath('node_modules', ...name.split('/'));
  const { version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one));
  if (file === undefined) throw new SetupError(`${name} has no licence text, so it cannot be packaged.`);
  const text = await readFile(path.join(folder, file), 'utf8');
  return `${name} ${version} (${license})\n\n${text.trim()}`;
}
