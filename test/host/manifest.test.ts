import { glob as files, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../../src/app/settings.ts';
import {
  CHAT_VIEW,
  COMMANDS,
  END_PROCESS,
  CONTAINER,
  DIAGNOSTICS_VIEW,
  FOCUS_CHAT_VIEW,
  SESSIONS_VIEW,
  SETTING_REACH,
  settingId,
} from '../../src/host/contribution-ids.ts';

type Property = {
  readonly default: unknown;
  readonly scope: string;
  readonly order: number;
  readonly markdownDescription: string;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
};

type Manifest = {
  readonly main: string;
  readonly icon: string;
  readonly type: string;
  readonly activationEvents: readonly string[];
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] };
  };
  readonly contributes: {
    readonly viewsContainers: {
      readonly activitybar: readonly { readonly id: string; readonly icon: string }[];
    };
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly type?: string }[]>>;
    readonly menus: Readonly<Record<string, readonly { readonly command: string; readonly when: string }[]>>;
    readonly commands: readonly { readonly command: string; readonly category: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, Property>> };
  };
};

const root = new URL('../../', import.meta.url);
const manifest = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as Manifest;
const { contributes } = manifest;
const { properties } = contributes.configuration;

test('the manifest contributes exactly the commands that are registered', () => {
  expect(contributes.commands.map(({ command }) => command).sort()).toEqual(
    Object.values<string>(COMMANDS).sort(),
  );
  expect(new Set(contributes.commands.map(({ category }) => category))).toEqual(new Set(['Ledgerline']));
});

test('menus name commands that exist, and say where they belong', () => {
  for (const { command, when } of Object.values(contributes.menus).flat()) {
    expect(Object.values<string>(COMMANDS)).toContain(command);
    expect(when).not.toBe('');
  }
});

test('every command that a next action names exists', async () => {
  const sources = await glob('src/{runtime,app,presenter}/**/*.ts');
  const named = sources.flatMap((text) =>
    [...text.matchAll(/command: '(ledgerline\.\w+)'/g)].map((match) => match[1]),
  );
  expect(named.length).toBeGreaterThan(10);
  const known: readonly string[] = [...Object.values(COMMANDS), END_PROCESS];
  for (const command of named) expect(known).toContain(command);
});

async function glob(pattern: string): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const file of files(pattern, { cwd: root }))
    texts.push(await readFile(new URL(file, root), 'utf8'));
  return texts;
}

test('the manifest contributes exactly the views that are provided', () => {
  expect(contributes.viewsContainers.activitybar.map(({ id }) => id)).toEqual([CONTAINER]);
  expect(contributes.views).toEqual({
    [CONTAINER]: [
      expect.objectContaining({ id: CHAT_VIEW, type: 'webview' }),
      expect.objectContaining({ id: SESSIONS_VIEW }),
      expect.objectContaining({ id: DIAGNOSTICS_VIEW }),
    ],
  });
  expect(FOCUS_CHAT_VIEW).toBe(`${CHAT_VIEW}.focus`);
});

test('pictures that the manifest names exist', async () => {
  const files = [manifest.icon, ...contributes.viewsContainers.activitybar.map(({ icon }) => icon)];
  for (const file of files) expect((await readFile(new URL(file, root))).length).toBeGreaterThan(0);
});

describe('settings', () => {
  const names = Object.entries(SETTINGS);

  test('are those of the schema, in their order', () => {
    expect(Object.keys(properties)).toEqual(names.map(([name]) => `ledgerline.${name}`));
    expect(Object.values(properties).map(({ order }) => order)).toEqual(names.map((_, index) => index));
  });

  test.each(names)('%s has the default of the schema', (name, schema) => {
    expect(properties[`ledgerline.${name}`]?.default).toEqual(schema.parse(undefined));
  });

  test.each(names)('%s offers values that the schema takes, and explains each', (name, schema) => {
    const property = properties[`ledgerline.${name}`];
    for (const value of property?.enum ?? []) expect(schema.safeParse(value).success).toBe(true);
    expect(property?.enumDescriptions?.length).toBe(property?.enum?.length);
    expect(property?.markdownDescription).toMatch(/\.$/);
  });

  test('that say where prompts go can only be set for the machine', () => {
    for (const [name, reach] of Object.entries(SETTING_REACH)) {
      expect([name, properties[`ledgerline.${name}`]?.scope]).toEqual([
        name,
        reach === 'machine' ? 'machine' : 'window',
      ]);
    }
  });

  test('that an untrusted workspace must not touch are restricted', () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    for (const name of ['provider', 'baseUrl', 'permissionMode', 'permissions'] as const) {
      expect(restrictedConfigurations).toContain(settingId(name));
    }
  });
});
