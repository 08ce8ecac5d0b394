import { describe, expect, test } from 'vitest';
import type { SettingName } from '../../src/app/settings.ts';
import { effectiveSettings } from '../../src/host/effective-settings.ts';
import {
  choiceIn,
  isPickable,
  PICKABLE,
  withChoice,
  withoutChoices,
  type OwnSetting,
} from '../../src/host/kept-choices.ts';

type Own = Readonly<Record<string, unknown>>;

const reading =
  (own: Own): OwnSetting =>
  (name) =>
    own[name];

/** As VS Code gives it back: what is undefined is gone. */
function stored(kept: object): unknown {
  return JSON.parse(JSON.stringify(kept));
}

function counting(kept: unknown, own: Own): object {
  const entries = PICKABLE.map((name) => [name, choiceIn(kept, name, reading(own))]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The mode that counts, with the settings of the person and what was kept. */
function mode(kept: unknown, own: Own, workspace?: string): string {
  return effectiveSettings((name: SettingName) => ({
    user: own[name],
    workspace: name === 'permissionMode' ? workspace : undefined,
    folders: [],
    choice: isPickable(name) ? choiceIn(kept, name, reading(own)) : undefined,
  })).settings.permissionMode;
}

describe('a pick', () => {
  test('counts, and leaves others as they are', () => {
    const first = stored(withChoice(undefined, { permissionMode: 'auto' }, reading({})));
    const both = stored(withChoice(first, { model: 'm1' }, reading({})));
    expect(counting(both, {})).toEqual({ permissionMode: 'auto', model: 'm1' });
  });

  test('can be taken back, and then the setting counts', () => {
    const own = { permissionMode: 'ask', model: 'mine' };
    const kept = stored(withChoice(undefined, { permissionMode: 'auto', model: 'm1' }, reading(own)));
    const cleared = stored(withoutChoices(kept, ['permissionMode'], reading(own)));
    expect(counting(cleared, own)).toEqual({ model: 'm1' });
    expect([mode(kept, own), mode(cleared, own)]).toEqual(['auto', 'ask']);
  });

  test.each([
    [undefined, 'read_only', 'read_only'],
    ['ask', 'read_only', 'read_only'],
    ['auto', 'ask', 'ask'],
    ['read_only', undefined, 'ask'],
    ['ask', 'ask', 'auto'],
    [undefined, undefined, 'auto'],
  ])(
    'of auto over the setting %s is %s later: the mode is the last word of the person',
    (then, now, expected) => {
      const kept = stored(
        withChoice(undefined, { permissionMode: 'auto' }, reading({ permissionMode: then })),
      );
      expect(mode(kept, { permissionMode: now })).toBe(expected);
    },
  );

  test('ends with a change of its own setting only', () => {
    const kept = stored(withChoice(undefined, { permissionMode: 'auto', model: 'm1' }, reading({})));
    expect(counting(kept, { permissionMode: 'ask' })).toEqual({ model: 'm1' });
  });

  test('does not come back with the setting once it was forgotten', () => {
    const kept = stored(
      withChoice(undefined, { permissionMode: 'auto' }, reading({ permissionMode: 'ask' })),
    );
    const after = stored(withoutChoices(kept, [], reading({ permissionMode: 'read_only' })));
    expect(mode(after, { permissionMode: 'ask' })).toBe('ask');
  });

  test('is not ended by the workspace, which may still make it stricter', () => {
    const kept = stored(withChoice(undefined, { permissionMode: 'auto' }, reading({})));
    expect([mode(kept, {}, 'auto'), mode(kept, {}, 'ask'), mode(kept, {}, 'read_only')]).toEqual([
      'auto',
      'ask',
      'read_only',
    ]);
  });

  test.each([undefined, null, 'auto', [], { permissionMode: 'auto' }, { permissionMode: { over: 1 } }])(
    'is none in %j',
    (kept) => {
      expect(counting(kept, {})).toEqual({});
    },
  );
});
