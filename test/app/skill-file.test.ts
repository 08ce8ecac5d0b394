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
    [
      'with nested fields of other programs',
      '---\nname: review\ndescription: Looks for bugs.\nlicense: MIT\nmetadata:\n  author: x\n  name: y\n  tags:\n    - a: b\n---\n',
    ],
    [
      'with fields of other programs in brackets, twice, or with signs in their names',
      '---\n$schema: x\nname: review\ndescription: Looks for bugs.\nhooks:\n-\n  a: b\ntags: a\ntags: b\nallowed-tools: [\n  Read,\n]\n---\n',
    ],
    ['in several lines of quotes', '---\nname: review\ndescription: "Looks\n  for bugs."\n---\n'],
    ['in several lines that are counted', '---\nname: review\ndescription: |-2\n  Looks\n  for bugs.\n---\n'],
    ['with a comment behind its name', '---\nname: "review" # ours\ndescription: Looks for bugs.\n---\n'],
    ['with names in quotes', '---\n"name": review\n\'description\' : Looks for bugs.\n---\n'],
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
    ['True # only people', false],
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
      'a field of ours in a way that is not understood, behind one of another program',
      '---\ndescription: b\nlicense: MIT\n? disable_model_invocation\n---\n',
      'Line 4 is no field such as "name: value".',
    ],
    [
      'a text of ours that goes on where none can',
      '---\ndescription: "b\nc"\n---\n',
      'Line 3 is no field such as "name: value".',
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

test.each([
  'Disable-Model-Invocation: true',
  'disable-model-invocation : true',
  '"disable-model-invocation": true',
])('%j keeps the model out as well', (line) => {
  const text = `---\ndescription: b\n${line}\n---\n`;
  expect(readSkillFile(text, 'folder')).toMatchObject({ ok: true, for_model: false });
});

test.each([
  [String.raw`"Say \"hi\", \\ too"`, String.raw`Say "hi", \ too`],
  ["'It''s'", "It's"],
  ['>\n  "a" or "b"', '"a" or "b"'],
])('%s is read without what only quotes it', (value, description) => {
  expect(readSkillFile(`---\ndescription: ${value}\n---\n`, 'folder')).toMatchObject({ description });
});

test.each([
  ['behind a colon', `name:${' '.repeat(60_000)}x\r\u2028`],
  ['before a colon', `name${' '.repeat(60_000)}: x`],
  ['before a comment', `name: x${' '.repeat(60_000)}#`],
  ['behind quotes', `name: "x"${' '.repeat(60_000)}#`],
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
