import { expect, test } from 'vitest';
import { usualPlaces } from '../../src/dev/chromium.mjs';
import { satisfies } from '../../src/dev/dependencies.mjs';
import { withNodeFirst } from '../../src/dev/node.mjs';
import { serverEnvironment } from '../../src/dev/vscode-process.mjs';

test('node_modules satisfies a lock file when only packages of other platforms are missing', () => {
  const wanted = {
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/b': { version: '2.0.0', optional: true },
  };
  expect(satisfies({ wanted, present: { 'node_modules/a': { version: '1.0.0' } } })).toBe(true);
  expect(satisfies({ wanted, present: { 'node_modules/a': { version: '1.0.1' } } })).toBe(false);
  expect(satisfies({ wanted, present: { 'node_modules/b': { version: '2.0.0' } } })).toBe(false);
});

test('a provisioned Node is found before any other', () => {
  const env = withNodeFirst({ env: { Path: 'rest' }, executable: '/cache/node/bin/node' });
  expect(env['Path']?.startsWith('/cache/node/bin')).toBe(true);
  expect(env['PATH']).toBeUndefined();
});

test('VS Code is started without what npm, a test runner or an outer VS Code left behind', () => {
  const env = {
    HOME: '/h',
    npm_config_nodedir: '/usr',
    VITEST: 'true',
    NODE_OPTIONS: '-r x',
    VSCODE_PID: '1',
  };
  expect(serverEnvironment(env)).toEqual({ HOME: '/h' });
});

test('browsers are looked for where each platform installs them', () => {
  expect(usualPlaces({ platform: 'linux', env: { PATH: '/opt/bin' } })[0]).toBe('/opt/bin/google-chrome');
  expect(usualPlaces({ platform: 'darwin', env: {} })[0]).toBe(
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  );
  expect(usualPlaces({ platform: 'win32', env: { ProgramFiles: 'C:\\Programs' } })).toContain(
    'C:\\Programs\\Microsoft\\Edge\\Application\\msedge.exe',
  );
});
