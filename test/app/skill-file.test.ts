import { describe, expect, test } from 'vitest';
import { calledSkill, readSkillFile } from '../../src/app/skill-file.ts';

describe('the head of a skill', () => {
  test.each([
    ['plain', '---\nname: review\ndescription: Looks for bugs.\n---\nDo it.'],
    ['quoted', '---\nname: "review"\ndescription: \'Looks for bugs.\'\n---\n'],
    ['of Windows', '---\r\nname: review\r\ndescription: Looks for bugs.\r\n---\r\nDo it.'],
    ['in several lines', '---\nname: review\ndescription: >-\n  Looks\n  for bugs.\nother:\n  - x\n---\n'],
    ['with a byte order mark', '\uFEFF---\nname: review\ndescription: Looks for bugs.\n---'],
    [
      'with comments, empty lines and lists of other programs',
      '---\n# For reviews.\n\nname: review\nallowed-tools:\n- Read\n- Grep\ndescription: Looks for bugs.\n---\n',
    ],
    ['named by its folder', '---\ndescription: Looks for bugs.\n---\n'],
  ])('can be %s', (_, text) => {
    expect(readSkillFile(text, 'review')).toEqual({
      ok: true,
      name: 'review',
      description: 'Looks for bugs.',
      when_to_use: null,
      for_model: true,
    });
  });

  test.each([
    ['when_to_use', 'when_to_use: Before a merge.'],
    ['when-to-use', 'when-to-use: "Before a merge."'],
  ])('says when to use it as %s', (_, line) => {
    const text = `---\ndescription: Looks for bugs.\n${line}\n---\n`;
    expect(readSkillFile(text, 'review')).toMatchObject({ ok: true, when_to_use: 'Before a merge.' });
  });

  test.each([
    ['true', false],
    ['false', true],
  ])('says with disable-model-invocation: %s whether the model may choose it', (value, for_model) => {
    const text = `---\ndescription: d\ndisable-model-invocation: ${value}\n---\n`;
    expect(readSkillFile(text, 'review')).toMatchObject({ ok: true, for_model });
  });

  test.each([
    ['no head', 'Do it.', 'It does not begin with a block between two lines of ---.'],
    [
      'an open head',
      '---\nname: a\ndescription: b',
      'It does not begin with a block between two lines of ---.',
    ],
    ['no description', '---\nname: a\n---\n', 'It has no description, which says when to use it.'],
    [
      'a name that is a path',
      '---\nname: ../a\ndescription: b\n---\n',
      'Its name may have lower-case letters, digits and hyphens only.',
    ],
    [
      'a flag that is neither yes nor no',
      '---\ndescription: b\ndisable-model-invocation: maybe\n---\n',
      'Its disable-model-invocation is neither true nor false.',
    ],
    [
      'a field without room behind its colon',
      '---\ndescription: b\ndisable-model-invocation:true\n---\n',
      'Line 3 is no field such as "name: value".',
    ],
    [
      'a field in quotes',
      '---\n"disable-model-invocation": true\ndescription: b\n---\n',
      'Line 2 is no field such as "name: value".',
    ],
    [
      'a flag that is said twice',
      '---\ndescription: b\ndisable_model_invocation: true\ndisable-model-invocation: false\n---\n',
      'Its block between --- says disable-model-invocation twice.',
    ],
  ])('with %s is refused with the reason', (_, text, reason) => {
    expect(readSkillFile(text, 'folder')).toEqual({ ok: false, reason });
  });
});

test.each(['Disable-Model-Invocation: true', 'disable-model-invocation : true'])(
  '%j keeps the model out as well',
  (line) => {
    const text = `---\ndescription: b\n${line}\n---\n`;
    expect(readSkillFile(text, 'folder')).toMatchObject({ ok: true, for_model: false });
  },
);

test.each([
  ['behind a colon', `name:${' '.repeat(60_000)}x\r\u2028`],
  ['before a colon', `name${' '.repeat(60_000)}: x`],
])('much room %s is read like little', (_, line) => {
  const text = `---\n${line}\ndescription: d\n---\n`;
  expect(readSkillFile(text, 'folder')).toMatchObject({ ok: true, name: 'x', description: 'd' });
});

test.each([
  ['/review', 'review'],
  ['/review this file', 'review'],
  ['/review\nthis', 'review'],
  ['/usr/bin is a path', null],
  ['see /review', null],
  ['/Review', null],
  ['/', null],
])('%j calls for %j', (text, name) => {
  expect(calledSkill(text)).toBe(name);
});
