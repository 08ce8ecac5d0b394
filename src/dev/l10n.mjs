// @ts-check
// node src/dev/l10n.mjs: what the translations of the program's words lack, and what they have too much
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { runMain } from './progress.mjs';
import { PROJECT, projectPath } from './project.mjs';

/** Calls whose first argument is shown to a person. Only a literal can be found, so only a literal may stand there. */
const CALL =
  /(?:\bl10n\.t|(?<![\w.$])(?:t|sentence))\(\s*(?<literal>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.)*`)/g;

/**
 * @param {string} text of a source file
 * @returns {string[]} the words that it hands over for translation
 */
export function wordsIn(text) {
  return [...text.matchAll(CALL)].map((match) => valueOf(match.groups?.['literal'] ?? "''"));
}

/**
 * Whether some file has these words as a string: lower layers name words that are translated by their text at the edge.
 * @param {{sources: readonly string[], words: string}} options
 */
export function isNamed({ sources, words }) {
  const written = ["'", '"', '`'].map(
    (quote) => quote + escaped(words).replaceAll(quote, `\\${quote}`) + quote,
  );
  return sources.some((text) => written.some((literal) => text.includes(literal)));
}

/** @param {string} words */
function escaped(words) {
  return words.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

/** @typedef {{missing: string[], unused: string[], broken: string[]}} Gaps */

/**
 * @param {{sources: readonly string[], bundle: Readonly<Record<string, string>>}} options
 * @returns {Gaps} words without a translation, translations of no words, and those that lose a value
 */
export function gaps({ sources, bundle }) {
  const wanted = new Set(sources.flatMap(wordsIn));
  return {
    missing: [...wanted].filter((words) => !Object.hasOwn(bundle, words)).sort(),
    unused: Object.keys(bundle)
      .filter((words) => !wanted.has(words) && !isNamed({ sources, words }))
      .sort(),
    broken: Object.entries(bundle)
      .filter(([words, translated]) => placeholders(words) !== placeholders(translated))
      .map(([words]) => words),
  };
}

/** @returns {Promise<string[]>} the text of every file that may hold words */
export async function wordSources() {
  const texts = [];
  for (const folder of ['src', 'webview']) {
    for await (const file of glob(`${folder}/**/*.{ts,tsx}`, { cwd: PROJECT }))
      texts.push(await readFile(path.join(PROJECT, file), 'utf8'));
  }
  return texts;
}

/**
 * @param {string} language
 * @returns {Promise<Record<string, string>>}
 */
export async function bundleOf(language) {
  return JSON.parse(await readFile(projectPath('media', 'l10n', `bundle.l10n.${language}.json`), 'utf8'));
}

/** @param {string} text */
function placeholders(text) {
  return [...new Set(text.match(/\{\d+\}/g))].sort().join();
}

/** @param {string} literal */
function valueOf(literal) {
  return literal
    .slice(1, -1)
    .replaceAll(/\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|([\s\S]))/g, (_, long, short, one) =>
      one === undefined ? String.fromCodePoint(Number.parseInt(long ?? short, 16)) : (ESCAPES[one] ?? one),
    );
}

/** @type {Readonly<Record<string, string>>} */
const ESCAPES = { n: '\n', t: '\t', r: '\r' };

if (process.argv[1] === projectPath('src', 'dev', 'l10n.mjs')) {
  await runMain(async () => {
    const found = gaps({ sources: await wordSources(), bundle: await bundleOf('de') });
    for (const [kind, words] of Object.entries(found))
      for (const one of words) process.stdout.write(`${kind}: ${JSON.stringify(one)}\n`);
    return Object.values(found).every((words) => words.length === 0) ? 0 : 1;
  });
}
