import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hiddenPaths } from '../../src/runtime/permissions/hidden-paths.ts';
import { parseRules, type RuleTexts } from '../../src/runtime/permissions/rules.ts';
import type { ToolBoxOptions } from '../../src/tools/tool-box.ts';
import { REPOSITORY } from './search-engines-fixture.ts';
import { Fixture } from './tool-fixture.ts';

const NONE: RuleTexts = { allow: [], ask: [], deny: [] };
const HIDDEN = 'Files that a rule denies or asks about are not searched.';

/** The option for rules that are asked for anew at each call. */
function hiding(texts: () => Partial<RuleTexts>): Pick<ToolBoxOptions, 'hidden'> {
  const known = ['list_files', 'search_text'];
  return {
    hidden: (call) =>
      hiddenPaths(call, {
        rules: parseRules({ ...NONE, ...texts() }, known),
        remembered: parseRules(NONE, known),
      }),
  };
}

const ENGINES = [
  ['ripgrep', { beside: REPOSITORY }],
  ['plain', { beside: '/nowhere/x.js' }],
] as const;

function fill(fixture: Fixture): void {
  for (const name of ['a.txt', 'src/a.txt', 'src/deep/b.txt', 'lib/k.txt']) fixture.write(name, 'needle');
}

test('a listing leaves out what a rule denies or asks about, and says how much', async () => {
  using fixture = new Fixture(hiding(() => ({ deny: ['list_files(src/**)'], ask: ['list_files(k.txt)'] })));
  fill(fixture);
  const said = 'a.txt\nlib/\n[Left out because a rule denies or asks about it: 2.]';
  expect(await fixture.say('list_files', {})).toBe(said);
  expect(await fixture.say('list_files', { path: '.' })).toBe(said);
  expect(await fixture.say('list_files', { glob: 'src/**' })).toBe(
    '[Nothing to list in .. Left out because a rule denies or asks about it: 2.]',
  );
});

test('a folder below the start is left out, and a start that was asked about is not', async () => {
  using fixture = new Fixture(hiding(() => ({ ask: ['list_files(src/**)', 'list_files(src/deep)'] })));
  fill(fixture);
  expect(await fixture.say('list_files', { path: 'src' })).toBe(
    'src/a.txt\n[Left out because a rule denies or asks about it: 1.]',
  );
  expect(await fixture.say('list_files', { path: 'lib' })).toBe('lib/k.txt');
});

test('neither the name of an ignored folder nor a link tells of what is hidden', async () => {
  using fixture = new Fixture(hiding(() => ({ deny: ['list_files(src/**)', 'list_files(node_modules)'] })));
  fill(fixture);
  fixture.write('node_modules/x.js', '');
  symlinkSync('src/deep/b.txt', fixture.path('link'));
  symlinkSync('lib', fixture.path('other'));
  expect(await fixture.say('list_files', {})).toBe(
    'a.txt\nlib/\nlib/k.txt\nother -> lib\n[Left out because a rule denies or asks about it: 3.]',
  );
});

test.each(ENGINES)('a search by %s leaves out what a rule denies or asks about', async (_, ripgrep) => {
  const deny = ['search_text(SRC/deep/**)', 'search_text(lib)'];
  const ask = ['search_text(src/*)'];
  using fixture = new Fixture({ ripgrep, ...hiding(() => ({ deny, ask })) });
  fill(fixture);
  expect(await fixture.say('search_text', { pattern: 'needle', path: null })).toBe(
    `a.txt:1: needle\n[${HIDDEN}]`,
  );
  expect(await fixture.say('search_text', { pattern: 'needle', path: '.', glob: 'src/**' })).toBe(
    `[No matches. ${HIDDEN}]`,
  );
  expect(await fixture.say('search_text', { pattern: 'needle', path: 'src' })).toBe(
    `src/a.txt:1: needle\n[${HIDDEN}]`,
  );
  expect(await fixture.say('search_text', { pattern: 'needle', path: 'src/a.txt' })).toBe(
    'src/a.txt:1: needle',
  );
});

test.each(ENGINES)('what a search by %s says of rules does not tell what is hidden', async (_, ripgrep) => {
  using fixture = new Fixture({ ripgrep, ...hiding(() => ({ deny: ['search_text(src/**)'] })) });
  fill(fixture);
  const said = await Promise.all(
    ['needle', 'nothing'].map((pattern) => fixture.say('search_text', { pattern, glob: 'src/**' })),
  );
  expect(said).toEqual([`[No matches. ${HIDDEN}]`, `[No matches. ${HIDDEN}]`]);
  expect(await fixture.say('search_text', { pattern: 'needle', path: 'lib' })).toBe('lib/k.txt:1: needle');
});

test('a rule counts from the next call on', async () => {
  const deny: string[] = [];
  using fixture = new Fixture(hiding(() => ({ deny })));
  fill(fixture);
  expect(await fixture.say('search_text', { pattern: 'needle', glob: 'lib/*' })).toBe('lib/k.txt:1: needle');
  deny.push('search_text(lib/**)');
  expect(await fixture.say('search_text', { pattern: 'needle', glob: 'lib/*' })).toBe(
    `[No matches. ${HIDDEN}]`,
  );
});

test('of several folders a whole one can be left out', async () => {
  using fixture = new Fixture();
  fill(fixture);
  const roots = ['src', 'lib'].map((name) => ({ name, path: join(fixture.root, name) }));
  const deny = ['list_files(lib/**)', 'search_text(lib/**)'];
  using several = new Fixture({ roots, ...hiding(() => ({ deny })) });
  expect(await several.say('list_files', {})).toBe(
    'src/a.txt\nsrc/deep/\nsrc/deep/b.txt\n[Left out because a rule denies or asks about it: 1.]',
  );
  expect(await several.say('search_text', { pattern: 'needle' })).toBe(
    `src/a.txt:1: needle\nsrc/deep/b.txt:1: needle\n[${HIDDEN}]`,
  );
});
