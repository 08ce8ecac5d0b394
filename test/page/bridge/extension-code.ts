import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { compileFunction } from 'node:vm';
import { PAGE_HOST } from '../../../src/dev/page-host.mjs';

export interface Extension {
  readonly activate: (context: object) => Promise<void>;
  readonly deactivate: () => Promise<void>;
}

const require = createRequire(PAGE_HOST);

/** The extension once more, with this as its VS Code: each window has its own, as in VS Code. */
export function loadExtension(vscode: object): Extension {
  const module = { exports: {} as Extension };
  const load = compileFunction(
    readFileSync(PAGE_HOST, 'utf8'),
    ['exports', 'require', 'module', '__filename', '__dirname'],
    { filename: PAGE_HOST },
  );
  const requireIn = (name: string): unknown => (name === 'vscode' ? vscode : require(name));
  load(module.exports, requireIn, module, PAGE_HOST, path.dirname(PAGE_HOST));
  return module.exports;
}
