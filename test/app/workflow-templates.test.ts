import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findTemplates, specOfTemplate, type FoundTemplate } from '../../src/app/workflow-templates.ts';
import type { SkillPorts } from '../../src/app/skill-shelves.ts';

const PLAIN = { name: 'Check', steps: [{ id: 'a', task: 'Look.' }] };

async function folderWith(files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'll-templates-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

interface Found {
  readonly templates: readonly FoundTemplate[];
  readonly warnings: readonly string[];
}

async function find(folders: readonly string[], more: Partial<SkillPorts> = {}): Promise<Found> {
  const warnings: string[] = [];
  const roots = folders.map((path, index) => ({ name: `root${index}`, path }));
  const templates = await findTemplates({
    workspace: { roots, storageDir: join(folders[0] ?? '', '.storage'), platform: process.platform },
    home: null,
    mayRead: () => true,
    warn: (message) => warnings.push(message),
    ...more,
  });
  return { templates, warnings };
}

function names({ templates }: Found): readonly (readonly [string, boolean])[] {
  return templates.map(({ name, ok }) => [name, ok]);
}

function reason(found: Found, name: string): string {
  const template = found.templates.find((one) => one.name === name && !one.ok);
  return template?.ok === false
    ? template.mistakes.map(({ at, message }) => `${at}: ${message}`).join('\n')
    : '';
}

describe('templates', () => {
  test('are found in the workspace and in its skills, each by its name', async () => {
    const folder = await folderWith({
      '.ledgerline/workflows/check.json': PLAIN,
      '.ledgerline/workflows/README.md': 'not one',
      '.agents/skills/release/workflows/notes.json': PLAIN,
      '.ledgerline/skills/style/workflows/fix.json': PLAIN,
      'workflows/elsewhere.json': PLAIN,
    });
    const found = await find([folder]);
    expect(found.templates.map(({ name, path, skill }) => [name, path, skill])).toEqual([
      ['check', '.ledgerline/workflows/check.json', null],
      ['release/notes', '.agents/skills/release/workflows/notes.json', 'release'],
      ['style/fix', '.ledgerline/skills/style/workflows/fix.json', 'style'],
    ]);
    expect(found.warnings).toEqual([]);
  });

  test("are found in the person's own skills, which count before those of a workspace and stay in their folder", async () => {
    const home = await folderWith({
      '.agents/skills/release/workflows/notes.json': { ...PLAIN, name: 'Mine' },
      '.ledgerline/workflows/loose.json': PLAIN,
      'elsewhere.json': PLAIN,
    });
    await symlink(join(home, 'elsewhere.json'), join(home, '.agents/skills/release/workflows/out.json'));
    const folder = await folderWith({ '.agents/skills/release/workflows/notes.json': PLAIN });
    const found = await find([folder], { home });
    expect(found.templates.map(({ name, path, ok }) => [name, path, ok])).toEqual([
      ['release/notes', '~/.agents/skills/release/workflows/notes.json', true],
      ['release/notes', '.agents/skills/release/workflows/notes.json', false],
      ['release/out', expect.any(String), false],
    ]);
    expect(reason(found, 'release/notes')).toBe(
      'file: has the name of another template: ~/.agents/skills/release/workflows/notes.json',
    );
    const without = await find([], { home });
    expect(names(without)).toContainEqual(['release/notes', true]);
  });

  test('that are none are told with what is wrong, and keep nobody from the others', async () => {
    const folder = await folderWith({
      '.ledgerline/workflows/bad.json': { steps: [{ id: 'a' }] },
      '.ledgerline/workflows/broken.json': '{"name": ',
      '.ledgerline/workflows/good.json': `\uFEFF${JSON.stringify(PLAIN)}`,
      '.ledgerline/workflows/large.json': ' '.repeat(512 * 1024 + 1),
    });
    await mkdir(join(folder, '.ledgerline/workflows/folder.json'));
    const found = await find([folder]);
    expect(names(found)).toEqual([
      ['bad', false],
      ['broken', false],
      ['folder', false],
      ['good', true],
      ['large', false],
    ]);
    expect(reason(found, 'bad')).toBe('name: is missing\nsteps[0].task: is missing');
    expect(reason(found, 'broken')).toMatch(/^file: is not JSON: /u);
    expect(reason(found, 'large')).toContain('524289 bytes');
  });

  test('outside the workspace are not read, whatever leads there', async () => {
    const outside = await folderWith({ 'evil.json': PLAIN });
    const folder = await folderWith({ '.ledgerline/workflows/good.json': PLAIN });
    await symlink(join(outside, 'evil.json'), join(folder, '.ledgerline/workflows/evil.json'));
    const found = await find([folder]);
    expect(names(found)).toEqual([
      ['evil', false],
      ['good', true],
    ]);
    expect(reason(found, 'evil')).toContain('is outside the workspace');
  });

  test('that a rule keeps from being read are told so', async () => {
    const folder = await folderWith({ '.ledgerline/workflows/secret.json': PLAIN });
    const found = await find([folder], { mayRead: (path) => !path.includes('secret') });
    expect(reason(found, 'secret')).toBe('file: A rule keeps it from being read.');
  });

  test('of one name in two folders are one, and the other is told', async () => {
    const file = { '.ledgerline/workflows/check.json': PLAIN };
    const found = await find([await folderWith(file), await folderWith(file)]);
    expect(names(found)).toEqual([
      ['check', true],
      ['check', false],
    ]);
    expect(reason(found, 'check')).toBe(
      'file: has the name of another template: root0/.ledgerline/workflows/check.json',
    );
  });

  test('are none in a folder that has none', async () => {
    expect(await find([await folderWith({})])).toEqual({ templates: [], warnings: [] });
  });
});

describe('a workflow by the name of a template', () => {
  const files = {
    '.ledgerline/workflows/check.json': {
      ...PLAIN,
      parameters: { what: { type: 'string' } },
      steps: [{ id: 'a', task: 'Look at ${what}.' }],
    },
    '.ledgerline/workflows/bad.json': {},
  };

  test('is that template with its parameters', async () => {
    const { templates } = await find([await folderWith(files)]);
    expect(specOfTemplate(templates, { template: 'check', parameters: { what: 'it' } })).toMatchObject({
      ok: true,
      spec: { steps: [{ task: 'Look at it.' }] },
    });
  });

  test.each([
    [{ template: 'check', parameters: {} }, ['parameters.what: is missing']],
    [{ template: 'nobody', parameters: {} }, ['template: is "nobody", and the templates are check']],
    [
      { template: 'bad', parameters: {} },
      ['template: cannot be used', 'name: is missing', 'steps: is missing'],
    ],
  ])('as %j is refused: %j', async (asked, lines) => {
    const { templates } = await find([await folderWith(files)]);
    const parsed = specOfTemplate(templates, asked);
    expect(parsed.ok ? [] : parsed.mistakes.map(({ at, message }) => `${at}: ${message}`)).toEqual(lines);
  });

  test.each([
    'review',
    'helper/review.json',
    '.agents/skills/helper/workflows/review.json',
    'Look twice',
    'rev',
  ])('is found as %s where only one can be meant', async (template) => {
    const steps = [{ id: 'a', task: 'Look.' }];
    const folder = await folderWith({
      '.agents/skills/helper/SKILL.md': '---\nname: helper\ndescription: Helps.\n---\n',
      '.agents/skills/helper/workflows/review.json': { id: 'rev', name: 'Look twice', steps },
      '.ledgerline/workflows/other.json': { name: 'Other', steps: [{ id: 'b', task: 'No.' }] },
    });
    const { templates } = await find([folder]);
    const asked = { template, parameters: {} };
    expect(specOfTemplate(templates, asked)).toMatchObject({ ok: true, spec: { id: 'rev' } });
    const twice = templates.map((one) => ({ ...one, name: `x/${one.name}` }));
    expect(specOfTemplate([...templates, ...twice], asked).ok).toBe(template === 'helper/review.json');
  });

  test('is refused where there are none', () => {
    expect(specOfTemplate([], { template: 'x', parameters: {} })).toEqual({
      ok: false,
      mistakes: [{ at: 'template', message: 'is "x", and there are no templates here' }],
    });
  });
});
