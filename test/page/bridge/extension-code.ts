import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Script } from 'node:vm';
import { PAGE_HOST } from '../../../src/dev/page-host.mjs';

export interface Extension {
  readonly activate: (context: object) => Promise<void>;
  readonly deactivate: () => Promise<void>;
}

type Load = (
  exports: object,
  require: (name: string) => unknown,
  module: object,
  file: string,
  folder: string,
) => void;

const require = createRequire(PAGE_HOST);

let compiled: { readonly modified: number; readonly source: string; readonly code: Buffer } | null = null;

/** The extension once more, with this as its VS Code: each window has its own, as in VS Code. */
export function loadExtension(vscode: object): Extension {
  const module = { exports: {} as Extension };
  const requireIn = (name: string): unknown => (name === 'vscode' ? vscode : require(name));
  const script = extensionScript();
  const load = script.runInThisContext() as Load;
  load(module.exports, requireIn, module, PAGE_HOST, path.dirname(PAGE_HOST));
  return module.exports;
}

/** Compiled anew only when it is another: that is most of what it takes to open a window. */
function extensionScript(): Script {
  const modified = statSync(PAGE_HOST).mtimeMs;
  if (compiled?.modified === modified)
    return new Script(compiled.source, { filename: PAGE_HOST, cachedData: compiled.code });
  const body = readFileSync(PAGE_HOST, 'utf8');
  const source = `(function (exports, require, module, __filename, __dirname) {${body}\n})`;
  const script = new Script(source, { filename: PAGE_HOST });
  compiled = { modified, source, code: script.createCachedData() };
  return script;
}
