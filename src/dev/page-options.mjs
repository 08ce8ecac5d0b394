// @ts-check
import path from 'node:path';
import { SetupError } from './progress.mjs';
import { projectPath } from './project.mjs';
import { parsePort } from './start-options.mjs';

/** @typedef {{kind: 'gallery', port: number, open: boolean}} GalleryOptions */
/** @typedef {{kind: 'pictures', folder: string, filter: string}} PicturesOptions */

const KNOWN = '--port N, --no-open, --pictures [FOLDER] [FILTER]';

/**
 * @param {readonly string[]} args
 * @returns {GalleryOptions | PicturesOptions}
 */
export function parsePageOptions(args) {
  /** @type {GalleryOptions} */
  const gallery = { kind: 'gallery', port: 0, open: true };
  /** @type {string[]} */
  const words = [];
  /** @type {string[]} */
  const galleryOnly = [];
  let isPictures = false;
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (!arg.startsWith('-')) {
      words.push(arg);
      continue;
    }
    const [name = '', inline] = arg.split('=', 2);
    if (arg === '--no-open') gallery.open = false;
    else if (name === '--port') gallery.port = parsePort(inline ?? args[(index += 1)]);
    else if (arg === '--pictures') isPictures = true;
    else throw new SetupError(`unknown option ${arg}: one of ${KNOWN}.`);
    if (arg !== '--pictures') galleryOnly.push(name);
  }
  if (!isPictures) {
    if (words.length > 0) throw new SetupError(`unknown word "${words[0]}": one of ${KNOWN}.`);
    return gallery;
  }
  if (galleryOnly.length > 0) throw new SetupError(`${galleryOnly[0]} does not go with --pictures.`);
  const [folder = projectPath('dist', 'pictures'), filter = '', ...others] = words;
  if (others.length > 0)
    throw new SetupError(`unknown word "${others[0]}": --pictures takes a FOLDER and a FILTER.`);
  return { kind: 'pictures', folder: path.resolve(folder), filter };
}
