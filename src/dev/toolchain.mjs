// @ts-check
// Everything a script may need before it can do its own work. Nothing here uses a package: these functions
// run before there are any.
export { cacheFolder, provision } from './cache-folder.mjs';
export { ensureChromium, findChromium } from './chromium.mjs';
export { ensureDependencies } from './dependencies.mjs';
export { ensureNode, ensureNodeHome } from './node.mjs';
export { ensureVsCodeServer } from './vscode-server.mjs';
