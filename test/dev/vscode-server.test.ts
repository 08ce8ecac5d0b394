import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { extensionBundle, nodeBundle } from '../../src/dev/bundle-options.mjs';
import { projectPath } from '../../src/dev/project.mjs';
import { RECIPES, vsCodeVersion } from '../../src/dev/vscode-server.mjs';

const manifest = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as {
  readonly engines: { readonly vscode: string };
  readonly devDependencies: Readonly<Record<string, string>>;
};

test('the manifest allows no VS Code that is older than the oldest that tests run on', () => {
  expect(manifest.engines.vscode).toBe(`^${vsCodeVersion('oldest')}`);
});

test('nothing is compiled against an API that the oldest VS Code does not have', () => {
  expect(manifest.devDependencies['@types/vscode']).toBe(vsCodeVersion('oldest'));
});

test('bundles are made for the Node that the oldest VS Code brings along', () => {
  const node = `node${RECIPES.oldest.nodeMajor}`;
  expect(extensionBundle({ mode: 'production' }).target).toBe(node);
  expect(nodeBundle({ mode: 'production', banner: '', lazy: {} }).target).toBe(node);
});
