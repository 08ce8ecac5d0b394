import { describe, expect, it, test } from 'vitest';
import { inEveryFolder } from '../../../src/runtime/permissions/folder-rules.ts';
import { hiddenPaths } from '../../../src/runtime/permissions/hidden-paths.ts';
import { permission, rules } from './verdicts.ts';

const SET = inEveryFolder(
  rules({
    allow: ['write_file(docs/**)'],
    ask: ['edit_file(./api/keys.ts)'],
    deny: ['write_file(src/generated/**)', 'read_file(notes.txt)', 'run_command(cat src/*)'],
  }),
);

describe('in a workspace of several folders', () => {
  it.each([
    ['write_file', 'web/src/generated/x.txt', 'deny'],
    ['write_file', 'api/src/generated/deep/x.txt', 'deny'],
    ['write_file', 'src/generated/x.txt', 'deny'],
    ['write_file', 'web/src/other.txt', 'ask'],
    ['write_file', 'web/lib/src/generated/x.txt', 'ask'],
    ['edit_file', 'web/api/keys.ts', 'ask'],
    ['edit_file', 'api/keys.ts', 'ask'],
    ['read_file', 'web/notes.txt', 'deny'],
    ['read_file', 'web/other.txt', 'allow'],
    // What is allowed is what was written, and no more.
    ['write_file', 'docs/x.md', 'allow'],
    ['write_file', 'web/docs/x.md', 'ask'],
    ['run_command', 'cat src/a', 'deny'],
    ['run_command', 'cat web/src/a', 'ask'],
  ] as const)('%s of %s: %s', (tool, subject, decision) => {
    expect(permission(tool, subject, { rules: SET }).decision).toBe(decision);
  });

  it('the rule is named as it was written', () => {
    expect(permission('write_file', 'web/src/generated/x', { rules: SET }).rule).toBe(
      'write_file(src/generated/**)',
    );
  });

  it('what is denied in a folder is left out on the way there', () => {
    const set = inEveryFolder(rules({ deny: ['search_text(src/generated/**)'] }));
    const { any, hides } = hiddenPaths(
      { tool: 'search_text', start: 'web/src' },
      { rules: set, remembered: rules({}) },
    );
    expect([any, hides('web/src/generated/x'), hides('web/src/x')]).toEqual([true, true, false]);
  });
});

test('rules that cannot be read stay as strict as they are', () => {
  const set = rules({ deny: ['write_file({a/b})'] });
  expect(inEveryFolder(set)).toEqual(set);
});
