import { glob as files, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../../src/app/settings.ts';
import { SHELVES } from '../../src/app/skill-shelves.ts';
import { CONTEXT_KEYS } from '../../src/host/context-keys.ts';
import { SESSION_KEYS } from '../../src/host/session-keys.ts';
import {
  AGENT_COMMANDS,
  AGENT_PANEL,
  CHAT_FOCUSED,
  CHAT_VIEW,
  COMMANDS,
  END_PROCESS,
  CONTAINER,
  DIAGNOSTICS_VIEW,
  FOCUS_CHAT_VIEW,
  PROVIDER_KEY,
  PROPOSED_CODE,
  SESSIONS_VIEW,
  SETTING_REACH,
  settingId,
  WALKTHROUGH,
} from '../../src/host/contribution-ids.ts';

type Property = {
  readonly default: unknown;
  readonly scope: string;
  readonly order: number;
  readonly markdownDescription: string;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly markdownEnumDescriptions?: readonly string[];
};

type Step = {
  readonly description: string;
  readonly media: { readonly svg: string };
  readonly completionEvents: readonly string[];
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
    readonly commands: readonly {
      readonly command: string;
      readonly category: string;
      readonly icon?: string;
      readonly enablement?: string;
    }[];
    readonly jsonValidation: readonly { readonly fileMatch: readonly string[]; readonly url: string }[];
    readonly submenus: readonly { readonly id: string }[];
    readonly menus: Readonly<
      Record<
        string,
        readonly {
          readonly command?: string;
          readonly submenu?: string;
          readonly when?: string;
          readonly group?: string;
        }[]
      >
    >;
    readonly keybindings: readonly {
      readonly command: string;
      readonly key: string;
      readonly mac: string;
      readonly when: string;
      readonly args?: unknown;
    }[];
    readonly configurationDefaults: Readonly<Record<string, unknown>>;
    readonly walkthroughs: readonly { readonly id: string; readonly steps: readonly Step[] }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Property>> }[];
  };
};

const root = new URL('../../', import.meta.url);
const manifest = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as Manifest;
const { contributes } = manifest;
const properties: Readonly<Record<string, Property>> = Object.assign(
  {},
  ...contributes.configuration.map((section) => section.properties),
);
const english = await wordsOf('package.nls.json');
const german = await wordsOf('package.nls.de.json');

async function wordsOf(name: string): Promise<Readonly<Record<string, string>>> {
  return JSON.parse(await readFile(new URL(`media/l10n/${name}`, root), 'utf8'));
}

/** As VS Code shows it in English. */
function shown(text: string | undefined): string {
  return (text ?? '').replace(/^%(.+)%$/, (_, key: string) => english[key] ?? '');
}

test('the manifest contributes exactly the commands that are registered', () => {
  expect(contributes.commands.map(({ command }) => command).sort()).toEqual(
    Object.values<string>(COMMANDS).sort(),
  );
  expect(new Set(contributes.commands.map(({ category }) => category))).toEqual(new Set(['Ledgerline']));
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

test('tabs that a window had are brought back', () => {
  expect(manifest.activationEvents).toEqual(['onStartupFinished', `onWebviewPanel:${AGENT_PANEL}`]);
});

test('pictures that the manifest names exist', async () => {
  const files = [
    manifest.icon,
    ...contributes.viewsContainers.activitybar.map(({ icon }) => icon),
    ...contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.svg)),
  ];
  for (const file of files) expect((await readFile(new URL(file, root))).length).toBeGreaterThan(0);
});

/** Every string of the manifest that a person reads, with the place it stands at. */
function spoken(value: unknown, place: readonly string[]): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return SPOKEN.has(spokenName(place)) ? [[place.join('.'), value]] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => spoken(inner, [...place, key]));
}

/** The entries of a list are what the list is. */
function spokenName(place: readonly string[]): string {
  return place.findLast((part) => !/^\d+$/.test(part)) ?? '';
}

const SPOKEN = new Set([
  'title',
  'label',
  'name',
  'contents',
  'description',
  'altText',
  'markdownDescription',
  'enumDescriptions',
  'markdownEnumDescriptions',
  'patternErrorMessage',
]);

function namedIn(words: string | undefined): readonly string[] {
  return [...(words ?? '').matchAll(/command:[\w.]+|#[\w.]+#/g)].map(([name]) => name);
}

describe('words', () => {
  const all = [
    ...spoken(contributes, ['contributes']),
    ...spoken(manifest.capabilities, ['capabilities']),
  ].filter(([, text]) => text !== 'Ledgerline');

  test('of the manifest are all keys of the translations', () => {
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter(([, text]) => !/^%[\w.]+%$/.test(text))).toEqual([]);
  });

  test('are in both languages, and no others are', () => {
    const text = JSON.stringify(manifest);
    const used = [...new Set([...text.matchAll(/%([\w.]+)%/g)].map((match) => match[1] ?? ''))].sort();
    expect(Object.keys(english).sort()).toEqual(used);
    expect(Object.keys(german).sort()).toEqual(used);
  });

  test('name the same commands and settings in both languages', () => {
    for (const key of Object.keys(english))
      expect([key, namedIn(german[key])]).toEqual([key, namedIn(english[key])]);
  });
});

describe('menus and keys', () => {
  const commands = new Set(contributes.commands.map(({ command }) => command));
  const places = Object.entries(contributes.menus).filter(([place]) => place !== 'commandPalette');

  test('name a command once in one place of one view', () => {
    for (const [place, entries] of places) {
      // An icon on the line may be in its menu, too.
      const listed = entries.filter(({ group = '' }) => !/^(inline|navigation)/.test(group));
      const named = listed.map(({ command, submenu, when }) => `${place} ${command ?? submenu} ${when}`);
      expect(named).toEqual([...new Set(named)]);
    }
  });

  test('name commands that are there, with an icon where it is all that is shown', () => {
    const entries = places.flatMap(([, all]) => all);
    expect(entries.flatMap(({ command }) => command ?? []).filter((one) => !commands.has(one))).toEqual([]);
    const shown = entries.filter(({ group = '' }) => /^(inline|navigation)/.test(group));
    const icons = new Map(contributes.commands.map(({ command, icon }) => [command, icon]));
    expect(shown.filter(({ command }) => icons.get(command ?? '') === undefined)).toEqual([]);
    const submenus = places.flatMap(([, entries]) => entries.flatMap(({ submenu }) => submenu ?? []));
    expect(submenus).toEqual(contributes.submenus.map(({ id }) => id));
  });

  test('depend on no context of ours that the host does not set', () => {
    const text = JSON.stringify([contributes.commands, contributes.menus, contributes.keybindings]);
    const clauses = [...text.matchAll(/"(?:when|enablement)":"([^"]*)"/g)].map((match) => match[1] ?? '');
    const named = clauses
      .flatMap((clause) => clause.match(/(?<![\w.'])ledgerline\.\w+/g) ?? [])
      .filter((name) => !name.startsWith(CHAT_VIEW));
    const keys: readonly string[] = [
      ...CONTEXT_KEYS,
      ...SESSION_KEYS,
      CHAT_FOCUSED,
      PROPOSED_CODE,
      PROVIDER_KEY,
    ];
    const views = Object.values(contributes.views).flatMap((all) => all.map(({ id }) => id));
    expect(named.filter((name) => !keys.includes(name) && !views.includes(name))).toEqual([]);
    expect(named).toContain('ledgerline.needsDecision');
  });

  test('of a view and the palette offer what needs a log only where there is one', () => {
    const needing = ['fork', 'exportSession', 'renameSession', 'openLog', 'diagnose', 'inspectRequest'].map(
      (name) => `ledgerline.${name}`,
    );
    const title = contributes.menus['view/title'] ?? [];
    const offered = title.filter(({ command = '' }) => needing.includes(command));
    expect(offered.map(({ command = '' }) => command).toSorted()).toEqual(
      [...needing, 'ledgerline.openLog', 'ledgerline.diagnose', 'ledgerline.inspectRequest'].toSorted(),
    );
    expect(offered.filter(({ when = '' }) => !when.endsWith(' && ledgerline.hasSession'))).toEqual([]);
    const palette = new Map(contributes.menus['commandPalette']?.map(({ command, when }) => [command, when]));
    // Another session than the open one can be given a name: the palette asks which.
    for (const command of needing.filter((one) => one !== 'ledgerline.renameSession'))
      expect([command, palette.get(command)]).toEqual([command, 'ledgerline.hasSession']);
  });

  test('of the palette offer to do with sessions what some session can have done to it', () => {
    const palette = new Map(contributes.menus['commandPalette']?.map(({ command, when }) => [command, when]));
    const wanted = {
      renameSession: 'hasSessions',
      deleteSession: 'hasSessions',
      copySessionId: 'hasSessions',
      pinSession: 'hasUnpinned',
      unpinSession: 'hasPinned',
      archiveSession: 'hasListed',
      unarchiveSession: 'hasArchived',
      restoreSession: 'hasDeleted',
    };
    for (const [name, key] of Object.entries(wanted))
      expect([name, palette.get(`ledgerline.${name}`)]).toEqual([name, `ledgerline.${key}`]);
    expect(palette.get('ledgerline.runWorkflow')).toBe('workspaceFolderCount > 0');
    const enablement = new Map(contributes.commands.map((one) => [one.command, one.enablement]));
    expect(enablement.get('ledgerline.undoTurn')).toBe('ledgerline.canUndo');
    expect(enablement.get('ledgerline.useOfflineModel')).toBe("ledgerline.provider != 'offline'");
  });

  test('of the palette leave out what has to be told what it is about', () => {
    const palette = new Map(contributes.menus['commandPalette']?.map(({ command, when }) => [command, when]));
    const told = [...Object.values<string>(AGENT_COMMANDS), COMMANDS.openNodeTranscript];
    for (const command of told) expect([command, palette.get(command)]).toEqual([command, 'false']);
  });

  test('open the transcript of a child, and of nothing else', () => {
    const entries = contributes.menus['view/item/context'] ?? [];
    const when = (command: string): readonly unknown[] =>
      entries.filter((entry) => entry.command === command).map((entry) => entry.when);
    expect(when(COMMANDS.openSessionRowTranscript)).toEqual([
      'view == ledgerline.sessions && viewItem =~ /^session;/ && viewItem =~ /;child/',
    ]);
    expect(when(COMMANDS.openNodeTranscript)).toEqual([
      String.raw`view == ledgerline.diagnostics && viewItem =~ /\btranscript\b/`,
    ]);
    const ofPeople = /^session;(?!.*;child)/u;
    expect(when(COMMANDS.openSessionRow)).toEqual([
      `view == ledgerline.sessions && viewItem =~ /${ofPeople.source}/`,
    ]);
    expect(
      ['session;unpinned;listed', 'session;unpinned;listed;child'].map((one) => ofPeople.test(one)),
    ).toEqual([true, false]);
  });

  test('of the chat have what is about sessions in one group', () => {
    const about = ['newSession', 'openSession', 'renameSession', 'fork', 'exportSession'];
    const groups = about.map((name) => {
      const entry = contributes.menus['view/title']?.find(
        ({ command, when = '' }) =>
          command === `ledgerline.${name}` && when.startsWith(`view == ${CHAT_VIEW}`),
      );
      return entry?.group?.replace(/@\d+$/u, '');
    });
    expect(new Set(groups)).toEqual(new Set(['1_session']));
  });

  test('of a line of the tree of sessions are told the line, and are for nothing else', () => {
    const ofRows = contributes.menus['view/item/context']?.filter(({ when = '' }) =>
      when.startsWith('view == ledgerline.sessions'),
    );
    const rows = [...new Set(ofRows?.map(({ command = '' }) => command))];
    expect(rows.toSorted()).toEqual(
      Object.values(COMMANDS)
        .filter((id) => id.includes('SessionRow'))
        .toSorted(),
    );
    const palette = new Map(contributes.menus['commandPalette']?.map(({ command, when }) => [command, when]));
    for (const id of rows) expect([id, palette.get(id)]).toEqual([id, 'false']);
    const keys = contributes.keybindings.filter(({ command }) => rows.includes(command));
    expect(keys.map(({ key }) => key)).toEqual(['f2', 'delete']);
    for (const { args, when } of keys) {
      expect(args).toEqual({ $treeViewId: SESSIONS_VIEW, $focusedTreeItem: true });
      expect(when).toBe(`focusedView == ${SESSIONS_VIEW} && listFocus && !inputFocus`);
    }
    // On a narrow line there is room for one icon.
    const inline = ofRows?.filter(({ group = '' }) => group.startsWith('inline'));
    expect(inline?.map(({ command }) => command)).toEqual([
      'ledgerline.archiveSessionRow',
      'ledgerline.unarchiveSessionRow',
    ]);
  });

  test('that need the chat to have the keyboard leave it to an editor as soon as that has it', () => {
    const ofChat = contributes.keybindings.filter(({ when }) => when.includes(CHAT_FOCUSED));
    expect(ofChat.map(({ when }) => when.split(' && ').slice(0, 2).join(' && '))).toEqual([
      `!${CHAT_FOCUSED} || editorFocus`,
      `${CHAT_FOCUSED} && !editorFocus`,
      `${CHAT_FOCUSED} && !editorFocus`,
    ]);
  });

  test('have a key of their own for a Mac, and say when they count', () => {
    for (const { command, key, mac, when } of contributes.keybindings) {
      expect(commands.has(command) || command === FOCUS_CHAT_VIEW).toBe(true);
      const own = key === 'delete' ? 'cmd+backspace' : key.replace('ctrl', 'cmd');
      expect([command, key, mac, when.length > 0]).toEqual([command, key, own, true]);
    }
    const keys = contributes.keybindings.map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('that lead to the chat are not taken for words of a shell in a terminal', () => {
    const anywhere = [FOCUS_CHAT_VIEW, COMMANDS.goToDecision];
    expect(contributes.configurationDefaults).toEqual({
      'terminal.integrated.commandsToSkipShell': anywhere,
    });
    for (const command of anywhere)
      expect(contributes.keybindings.map((binding) => binding.command)).toContain(command);
  });
});

test('workflow files are completed and checked wherever they are looked for', async () => {
  const [files] = contributes.jsonValidation;
  const own = ['.ledgerline/workflows/*.json'];
  const shelves = SHELVES.map((shelf) => `${shelf.join('/')}/*/workflows/*.json`);
  expect(files?.fileMatch.toSorted()).toEqual([...own, ...shelves].toSorted());
  const schema: unknown = JSON.parse(await readFile(new URL(`../../${files?.url}`, import.meta.url), 'utf8'));
  expect(schema).toMatchObject({ title: 'Ledgerline workflow' });
});

test('the walkthrough has five steps, each with one button that runs a command of ours', () => {
  const [walkthrough] = contributes.walkthroughs;
  expect(WALKTHROUGH).toBe(`ledgerline.ledgerline#${walkthrough?.id ?? ''}`);
  expect(walkthrough?.steps.length).toBe(5);
  const known = [...Object.values<string>(COMMANDS), FOCUS_CHAT_VIEW];
  for (const { description, completionEvents } of walkthrough?.steps ?? []) {
    const buttons = [...shown(description).matchAll(/^\[.+\]\(command:([\w.]+)\)$/gm)].map(
      (match) => match[1],
    );
    expect(buttons.length).toBe(1);
    expect(known).toContain(buttons[0]);
    expect(completionEvents.length).toBeGreaterThan(0);
  }
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
    const explained = property?.enumDescriptions ?? property?.markdownEnumDescriptions;
    expect(explained?.length).toBe(property?.enum?.length);
    expect(shown(property?.markdownDescription)).toMatch(/\.$/);
  });

  test('that say where prompts go can only be set for the machine, and any folder can make others stricter', () => {
    const scopes = { machine: 'machine', tighten: 'resource', anyone: 'window' };
    for (const [name, reach] of Object.entries(SETTING_REACH))
      expect([name, properties[`ledgerline.${name}`]?.scope]).toEqual([name, scopes[reach]]);
  });

  test('that an untrusted workspace must not touch are restricted', () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    for (const name of ['provider', 'baseUrl', 'permissionMode', 'permissions'] as const) {
      expect(restrictedConfigurations).toContain(settingId(name));
    }
  });
});
