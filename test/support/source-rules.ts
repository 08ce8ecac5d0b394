import { dirname, join, normalize } from 'node:path/posix';

/** The rules of the source tree, as pure checks over paths and texts. Each tells what breaks it. */

export interface SourceFile {
  /** From the root of the project, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** What a layer may import: other layers and packages. A folder of `src` is a layer, and so is `webview`. */
export interface LayerRule {
  readonly layers: readonly string[];
  /** Packages by name, `node:` for the platform, `*` for any library. Never `vscode` unless it is named. */
  readonly packages: readonly string[];
}

const BELOW_APP = ['storage', 'provider', 'tools', 'presenter', 'runtime'];
/** The version of the program is in its package.json. */
const BELOW_HOST = ['app', ...BELOW_APP, 'package.json'];
const NODE = ['node:', '*'];

export const LAYERS: Readonly<Record<string, LayerRule>> = {
  runtime: { layers: [], packages: [] },
  storage: { layers: ['runtime'], packages: NODE },
  provider: { layers: ['runtime'], packages: NODE },
  tools: { layers: ['runtime'], packages: NODE },
  // Shared with the webview, so it has no platform.
  presenter: { layers: ['runtime'], packages: ['*'] },
  app: { layers: BELOW_APP, packages: NODE },
  headless: { layers: BELOW_HOST, packages: NODE },
  host: { layers: BELOW_HOST, packages: [...NODE, 'vscode'] },
  'extension.ts': { layers: ['host', ...BELOW_HOST], packages: [...NODE, 'vscode'] },
  webview: { layers: ['presenter'], packages: ['preact', 'marked', 'highlight.js'] },
  dev: { layers: [], packages: NODE },
};

export function layerOf(path: string): string {
  const [top, second] = path.split('/');
  return top === 'src' ? (second ?? '') : (top ?? '');
}

const IMPORT = /(?:^|[\s;}])(?:import|export)\s*(?:[\w*{][^'";]*?\sfrom\s*)?['"]([^'"]+)['"]/g;
const DYNAMIC = /\b(?:import|require)\s*\(\s*['"]([^'"]+)['"]/g;

export function importsOf(text: string): readonly string[] {
  const code = withoutComments(text);
  return [IMPORT, DYNAMIC].flatMap((pattern) =>
    [...code.matchAll(pattern)].map(([, specifier]) => specifier ?? ''),
  );
}

export function importViolations({ path, text }: SourceFile): readonly string[] {
  const layer = layerOf(path);
  const rule = LAYERS[layer];
  if (rule === undefined) return [`${path} is in no layer`];
  return importsOf(text)
    .filter((specifier) => !isAllowed(specifier, { path, layer, rule }))
    .map((specifier) => `${path} imports ${specifier}`);
}

function isAllowed(
  specifier: string,
  { path, layer, rule }: { readonly path: string; readonly layer: string; readonly rule: LayerRule },
): boolean {
  if (specifier.startsWith('.')) {
    const target = layerOf(normalize(join(dirname(path), specifier)));
    return target === layer || rule.layers.includes(target);
  }
  if (specifier.startsWith('node:')) return rule.packages.includes('node:');
  const name = specifier.startsWith('@') ? specifier : (specifier.split('/')[0] ?? '');
  return rule.packages.includes(name) || (name !== 'vscode' && rule.packages.includes('*'));
}

/** What a pure layer must get from a port instead. */
const IMPURE =
  /\b(?:Date\.now|new Date\(\s*\)|Date\(\s*\)|Math\.random|setTimeout|setInterval|setImmediate|console\.|performance\.|crypto\.|fetch\(|process\.(?:env|cwd|exit|platform|on)|globalThis)/g;

export function impurities({ path, text }: SourceFile): readonly string[] {
  return [...withoutComments(text).matchAll(IMPURE)].map(([use]) => `${path} uses ${use.trim()}`);
}

export const MOST_LINES = 300;

export function lengthViolations(
  { path, text }: SourceFile,
  exceptions: Readonly<Record<string, string>>,
): readonly string[] {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return lines > MOST_LINES && exceptions[path] === undefined ? [`${path} has ${lines} lines`] : [];
}

const EMPTY_NAMES = /^(?:utils?|helpers?|common|shared|misc|manager)$/;

export function nameViolations({ path }: Pick<SourceFile, 'path'>): readonly string[] {
  return path
    .split('/')
    .map((part) => part.replace(/^\./, '').replace(/(?:\.(?:test|page|e2e|config|d))?\.\w+$/, ''))
    .filter(
      (name) =>
        !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) || name.split('-').some((word) => EMPTY_NAMES.test(word)),
    )
    .map((name) => `${path}: ${name} is no name for what it holds`);
}

const UNFINISHED = /\b(?:TODO|FIXME|XXX|HACK)\b/g;
const LEFT_OUT = /\b(?:describe|it|test|suite)(?:\.\w+)*\.(?:skip|only|todo|fails)\b/g;

export function unfinished({ path, text }: SourceFile): readonly string[] {
  return [UNFINISHED, LEFT_OUT].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([found]) => `${path} has ${found}`),
  );
}

const MACHINE_PATH = /(?:\/(?:home|Users|root|work)\/[\w.-]+|\b[A-Z]:\\\\?Users\b)/g;

export function machinePaths({ path, text }: SourceFile): readonly string[] {
  return [...text.matchAll(MACHINE_PATH)].map(([found]) => `${path} names ${found}`);
}

/** Comments may speak of anything. Strings stay: an import is one. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}
