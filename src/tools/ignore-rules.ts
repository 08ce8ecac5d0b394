import { compilePattern, type PathMatcher } from './glob.ts';

/** The rules of one .gitignore file. Pure: text in, decision out. */

export type IgnoreDecision = 'ignored' | 'kept' | 'undecided';

interface IgnoreRule {
  readonly matches: PathMatcher;
  readonly keeps: boolean;
  readonly foldersOnly: boolean;
}

export type IgnoreRules = readonly IgnoreRule[];

export function parseIgnoreRules(text: string): IgnoreRules {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map(parseRule)
    .filter((rule) => rule !== undefined);
}

function parseRule(line: string): IgnoreRule | undefined {
  // Spaces at the end do not count unless the last one is escaped.
  let pattern = line.replace(/(?<!\\)\s+$/, '');
  if (pattern === '' || pattern.startsWith('#')) return undefined;
  const keeps = pattern.startsWith('!');
  if (keeps) pattern = pattern.slice(1);
  const foldersOnly = pattern.endsWith('/');
  if (foldersOnly) pattern = pattern.slice(0, -1);
  if (pattern === '') return undefined;
  return { matches: compilePattern(pattern, { anyDepth: !pattern.includes('/') }), keeps, foldersOnly };
}

/** The last rule that matches decides. `segments` are below the folder that holds the rules. */
export function decideIgnored(
  rules: IgnoreRules,
  segments: readonly string[],
  entry: { readonly folder: boolean },
): IgnoreDecision {
  for (let at = rules.length - 1; at >= 0; at -= 1) {
    const rule = rules[at];
    if (rule === undefined || (rule.foldersOnly && !entry.folder) || !rule.matches(segments)) continue;
    return rule.keeps ? 'kept' : 'ignored';
  }
  return 'undecided';
}

/**
 * Folders of dependencies and caches, left out wherever they are met also where no .gitignore names them.
 * Giving one as the path looks inside it.
 */
export const SKIPPED_FOLDERS: readonly string[] = [
  '.git',
  '.gradle',
  '.hg',
  '.mypy_cache',
  '.next',
  '.nuxt',
  '.parcel-cache',
  '.pnpm-store',
  '.pytest_cache',
  '.ruff_cache',
  '.svelte-kit',
  '.svn',
  '.terraform',
  '.tox',
  '.turbo',
  '.venv',
  '.vscode-test',
  '__pycache__',
  'bower_components',
  'node_modules',
  'venv',
];
