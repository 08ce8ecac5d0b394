import { expect, test } from 'vitest';
import { windowOf } from '../../src/app/context-window.ts';
import { runSettings } from '../../src/app/run-ports.ts';
import { parseSettings, type Settings } from '../../src/app/settings.ts';

function settings(values: Readonly<Record<string, unknown>>): Settings {
  const parsed = parseSettings(values);
  if (!parsed.ok) throw new Error(parsed.problems.join());
  return parsed.settings;
}

test.each<[string, Readonly<Record<string, unknown>>, number | null]>([
  ['what the catalogue says of a model', { model: 'gpt-5.4' }, 922_000],
  ['what a person says, whatever the catalogue does', { model: 'gpt-5.4', contextWindow: 8_000 }, 8_000],
  ['what a person says of a model that nobody knows', { model: 'local', contextWindow: 8_000 }, 8_000],
  ['unknown for a model that nobody knows', { model: 'local' }, null],
  [
    'unknown for the offline model, whatever is named beside it',
    { provider: 'offline', model: 'gpt-5.4' },
    null,
  ],
  ['what a person says of the offline model', { provider: 'offline', contextWindow: 8_000 }, 8_000],
])('the window is %s', (_name, values, window) => {
  expect(windowOf(settings(values))).toBe(window);
  expect(runSettings(settings(values), null, null).context_window).toBe(window);
});
