import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { isSettingName, parseSettings, SETTINGS, type SettingName } from '../../src/app/settings.ts';
import { bundleOf } from '../../src/dev/l10n.mjs';
import { effectiveSettings, type EffectiveSettings, type Layers } from '../../src/host/effective-settings.ts';
import { EXPECTATIONS } from '../../src/app/setting-expectations.ts';
import { translatedSentence } from '../../src/presenter/host-sentences.ts';

function effective(set: Partial<Record<SettingName, Partial<Layers>>>): EffectiveSettings {
  return effectiveSettings((name) => ({
    user: undefined,
    workspace: undefined,
    folders: [],
    ...set[name],
  }));
}

test('with nothing set the defaults count', () => {
  const defaults = parseSettings({});
  expect(effective({})).toEqual({ settings: defaults.ok ? defaults.settings : null, problems: [] });
});

test('the most specific value counts', () => {
  expect(effective({ maxRounds: { user: 10, workspace: 20 } }).settings.maxRounds).toBe(20);
});

test('a workspace cannot say where prompts go', () => {
  const { settings, problems } = effective({
    baseUrl: { user: 'https://mine.example/v1', workspace: 'https://theirs.example/v1' },
    provider: { workspace: 'offline' },
  });
  expect(settings.baseUrl).toBe('https://mine.example/v1');
  expect(settings.provider).toBe('openai');
  expect(problems).toEqual([]);
});

test('a workspace cannot have sessions archived or removed, and a mistake has none', () => {
  const { settings, problems } = effective({
    'retention.archiveAfterDays': { workspace: 1, folders: [1] },
    'retention.trashDays': { user: 'soon', workspace: 30 },
  });
  expect([settings['retention.archiveAfterDays'], settings['retention.trashDays']]).toEqual([0, 0]);
  expect(problems.map(({ name }) => name)).toEqual(['retention.trashDays']);
});

describe('a permission mode', () => {
  test.each([
    ['ask', 'read_only', 'read_only'],
    ['ask', 'auto', 'ask'],
    ['auto', 'ask', 'ask'],
    ['read_only', 'auto', 'read_only'],
    [undefined, 'auto', 'ask'],
    ['auto', undefined, 'auto'],
  ])('%s of the person and %s of the workspace are %s', (user, workspace, expected) => {
    expect(effective({ permissionMode: { user, workspace } }).settings.permissionMode).toBe(expected);
  });

  test('is the strictest of all folders', () => {
    const folders = [undefined, 'ask', 'read_only'];
    expect(effective({ permissionMode: { user: 'auto', folders } }).settings.permissionMode).toBe(
      'read_only',
    );
    expect(effective({ permissionMode: { user: 'ask', folders: ['auto'] } }).settings.permissionMode).toBe(
      'ask',
    );
  });

  test('that is not valid leaves only reading', () => {
    const { settings, problems } = effective({ permissionMode: { user: 'yolo' } });
    expect(settings.permissionMode).toBe('read_only');
    expect(problems).toEqual([
      {
        name: 'permissionMode',
        blocks_sending: false,
        message:
          'ledgerline.permissionMode in your settings is not valid. It must be "read_only", "ask" or "auto". Until it is corrected, Ledgerline only reads.',
      },
    ]);
  });
});

describe('what was picked for a workspace', () => {
  test.each([
    ['auto', 'ask', undefined, 'auto'],
    ['auto', undefined, 'ask', 'ask'],
    ['auto', 'auto', 'read_only', 'read_only'],
    ['read_only', 'auto', 'auto', 'read_only'],
    ['yolo', 'ask', undefined, 'ask'],
  ])(
    'stands in for the person: mode %s over %s, with %s of the workspace, is %s',
    (choice, user, workspace, mode) => {
      const { settings, problems } = effective({ permissionMode: { choice, user, workspace } });
      expect([settings.permissionMode, problems]).toEqual([mode, []]);
    },
  );

  test('counts before what the workspace says, where that may say anything at all', () => {
    const { settings } = effective({
      model: { choice: 'picked', user: 'mine', workspace: 'theirs' },
      provider: { choice: 'offline', workspace: 'openai' },
    });
    expect([settings.model, settings.provider]).toEqual(['picked', 'offline']);
  });
});

describe('permission rules', () => {
  test('of a workspace may ask and deny, not allow', () => {
    const { settings } = effective({
      permissions: {
        user: { allow: ['read_file'], deny: ['run_command(rm*)'] },
        workspace: { allow: ['run_command'], ask: ['read_file'], deny: ['run_command(rm*)', 'write_file'] },
      },
    });
    expect(settings.permissions).toEqual({
      allow: ['read_file'],
      ask: ['read_file'],
      deny: ['run_command(rm*)', 'write_file'],
    });
  });

  test('of every folder count', () => {
    const folders = [
      { deny: ['read_file(a)'] },
      undefined,
      { allow: ['run_command'], ask: ['read_file(b)'] },
    ];
    expect(effective({ permissions: { folders } }).settings.permissions).toEqual({
      allow: [],
      ask: ['read_file(b)'],
      deny: ['read_file(a)'],
    });
  });

  test('that are not valid leave only reading, because a deny rule may be lost', () => {
    const { settings } = effective({
      permissionMode: { user: 'auto' },
      permissions: { user: { dney: ['run_command'] } },
    });
    expect(settings.permissionMode).toBe('read_only');
  });
});

test('an endpoint that is not valid blocks sending instead of becoming another one', () => {
  const { problems } = effective({ baseUrl: { user: 'localhost' } });
  expect(problems.map(({ name, blocks_sending }) => [name, blocks_sending])).toEqual([['baseUrl', true]]);
});

test('another value that is not valid is ignored, and the next one counts', () => {
  const { settings, problems } = effective({ maxRounds: { user: 10, workspace: 'many' } });
  expect(settings.maxRounds).toBe(10);
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('ledgerline.maxRounds in the settings of the workspace is not valid'),
  ]);
});

function said(set: Parameters<typeof effective>[0]): readonly string[] {
  return effective(set).problems.map(({ message }) => message);
}

describe('a mistake', () => {
  const wrong = { allow: 'everything' };

  test('is told once where VS Code names it for the workspace and for its one folder', () => {
    expect(said({ permissions: { workspace: wrong, folders: [{ ...wrong }] } })).toEqual([
      'ledgerline.permissions in the settings of the workspace is not valid. It must be an object with no other names than "allow", "ask" and "deny", each a list of rules such as "run_command(npm test*)". Until it is corrected, Ledgerline only reads.',
    ]);
  });

  test('of a folder beside one of the workspace is another', () => {
    expect(said({ maxRounds: { workspace: 'many', folders: ['more', 'most'] } })).toEqual([
      'ledgerline.maxRounds in the settings of the workspace is not valid. It must be a whole number from 1 to 1000. It is ignored until it is corrected.',
      'ledgerline.maxRounds in the settings of the folder is not valid. It must be a whole number from 1 to 1000. It is ignored until it is corrected.',
    ]);
  });

  test('is told in German as a whole', async () => {
    const german = await bundleOf('de');
    const t = (words: string, ...values: readonly string[]): string =>
      (german[words] ?? words).replaceAll(/\{(\d)\}/gu, (_, index: string) => values[Number(index)] ?? '');
    const [message = ''] = said({ permissions: { workspace: wrong } });
    expect(translatedSentence(message, t)).toMatch(
      /^ledgerline\.permissions in den Einstellungen des Arbeitsbereichs ist nicht gültig\. Es muss ein Objekt .+ sein, .+\. Bis .+\.$/u,
    );
  });

  test('names every value that there is to choose from', () => {
    const choices = Object.entries(SETTINGS).flatMap(([name, { def }]) =>
      isSettingName(name) && 'options' in def.innerType
        ? Object.values(def.innerType.options).map((option) => [name, JSON.stringify(option)] as const)
        : [],
    );
    expect(choices.length).toBeGreaterThan(15);
    expect(choices.filter(([name, option]) => !EXPECTATIONS[name].includes(option))).toEqual([]);
  });
});

test('the table of settings for people has each of them', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  expect(Object.keys(SETTINGS).filter((name) => !readme.includes(`| \`ledgerline.${name}\` `))).toEqual([]);
});
