import { expect, test } from 'vitest';
import { hasDisplay, parseStartOptions } from '../../src/dev/start-options.mjs';

test('npm start takes its options in any order', () => {
  expect(parseStartOptions([])).toEqual({ open: true, web: false, smoke: false, fresh: false, port: 0 });
  expect(parseStartOptions(['--port', '8123', '--web'])).toEqual({
    open: true,
    web: true,
    smoke: false,
    fresh: false,
    port: 8123,
  });
  expect(parseStartOptions(['--port=8123', '--no-open']).port).toBe(8123);
  expect(parseStartOptions(['--fresh']).fresh).toBe(true);
  expect(parseStartOptions(['--smoke'])).toEqual({
    open: false,
    web: true,
    smoke: true,
    fresh: false,
    port: 0,
  });
});

test('npm start refuses what it does not know', () => {
  expect(() => parseStartOptions(['--prot', '1'])).toThrow('unknown option --prot');
  expect(() => parseStartOptions(['--port', 'http'])).toThrow('--port needs a port');
});

test('Linux without a display server cannot show a window', () => {
  expect(hasDisplay({ platform: 'linux', env: {} })).toBe(false);
  expect(hasDisplay({ platform: 'linux', env: { WAYLAND_DISPLAY: 'wayland-0' } })).toBe(true);
  expect(hasDisplay({ platform: 'darwin', env: {} })).toBe(true);
});
