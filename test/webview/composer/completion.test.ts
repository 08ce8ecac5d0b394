import { describe, expect, test } from 'vitest';
import {
  commandsFor,
  doubtAbout,
  skillsFor,
  triggerAt,
  withoutTrigger,
  beginningFirst,
} from '../../../webview/composer/completion.ts';
import { isPastedText, pathsFrom } from '../../../webview/composer/image-intake.ts';
import { INITIAL } from '../../../webview/state.ts';
import { apply } from '../../../webview/store.ts';
import { answer, prompt, snapshot, turnState } from '../log-items.ts';

describe('a list opens', () => {
  test.each([
    ['@', 1, { kind: 'attach', start: 0, query: '' }],
    ['see @src/lo', 11, { kind: 'attach', start: 4, query: 'src/lo' }],
    ['see\n@a and more', 6, { kind: 'attach', start: 4, query: 'a' }],
    ['/', 1, { kind: 'command', start: 0, query: '' }],
    ['/new', 4, { kind: 'command', start: 0, query: 'new' }],
  ])('after %j at %i', (text, caret, trigger) => {
    expect(triggerAt(text, caret)).toEqual(trigger);
  });

  test.each([
    ['me@example.org', 14],
    ['@file then', 10],
    ['a /new', 6],
    ['/usr/bin', 8],
    ['/new words', 10],
    ['', 0],
  ])('not after %j at %i', (text, caret) => {
    expect(triggerAt(text, caret)).toBeNull();
  });
});

test('what was typed for the list is gone once it is finished', () => {
  const text = 'see @logi, please';
  const trigger = triggerAt(text, 9);
  expect(trigger === null ? '' : withoutTrigger(text, trigger)).toBe('see , please');
});

describe('commands', () => {
  const fresh = apply(INITIAL, snapshot([]), 0);
  const done = apply(INITIAL, snapshot([prompt(0), answer(1, 'Yes.')]), 0);
  const names = (state: typeof fresh, query = ''): readonly string[] =>
    commandsFor(state, query).map(({ name }) => name);

  test('are those that can do something now', () => {
    expect(names(fresh)).toEqual(['new', 'open', 'model', 'mode', 'key']);
    expect(names(done)).toEqual(
      expect.arrayContaining(['new', 'fork', 'compact', 'diagnose', 'inspect', 'log', 'export']),
    );
    expect(names(done)).not.toContain('stop');
    expect(names(done)).not.toContain('undo');
    const running = names(apply(done, turnState('running'), 1));
    expect(running).toContain('stop');
    expect(running).not.toContain('compact');
  });

  test('are found by name first, then by what they do', () => {
    expect(names(fresh, 'mo')).toEqual(['model', 'mode']);
    expect(names(fresh, 'session')).toEqual(['new', 'open']);
    expect(names(fresh, 'xyz')).toEqual([]);
  });
});

test('files are dropped by their addresses, and other addresses are not files', () => {
  const list =
    '# comment\r\nfile:///w/a%20b.ts\r\nvscode-remote://host%2B1/w/src/\r\nhttps://x.example/a\r\nno';
  expect(pathsFrom(list)).toEqual(['/w/a b.ts', '/w/src/']);
  expect(pathsFrom('file:///c%3A/w/a.ts')).toEqual(['c:/w/a.ts']);
  expect(pathsFrom('file:///w/%E0%A4%A')).toEqual([]);
});

test('a table that comes with a picture of itself is pasted as text; a file that comes with its name is not', () => {
  expect(isPastedText('a\tb\r\n1\t2', ['image.png'])).toBe(true);
  expect(isPastedText('', ['image.png'])).toBe(false);
  expect(isPastedText('shot.png', ['shot.png'])).toBe(false);
  expect(isPastedText('/home/me/shot.png', ['shot.png'])).toBe(false);
});

describe('words that look like a command', () => {
  const skills = [{ name: 'commit', description: '' }];

  test.each([
    ['/comapct', { name: 'comapct', isCommand: false }],
    ['/model gpt-5', { name: 'model', isCommand: true }],
    [' /new', { name: 'new', isCommand: true }],
    ['/commit the rest', null],
    ['/usr/bin is missing', null],
    ['/etc/hosts', null],
    ['/', null],
    ['/ /', null],
    ['what does /new do?', null],
  ])('%j', (text, doubt) => {
    expect(doubtAbout({ skills }, text)).toEqual(doubt);
  });

  test('are sent while the skills are not known', () => {
    expect(doubtAbout({ skills: null }, '/commit')).toBeNull();
  });
});

test('skills are found by their names first, and by what they are for', () => {
  const items = [
    { name: 'commit', description: 'Writes a message; a review first.' },
    { name: 'review', description: 'Looks for bugs.' },
  ];
  const state = apply(INITIAL, { v: 1, type: 'skills', query_id: 'q', items }, 0);
  const names = (query: string): readonly string[] => skillsFor(state, query).map(({ name }) => name);
  expect([names(''), names('rev'), names('bugs'), names('x')]).toEqual([
    ['commit', 'review'],
    ['review', 'commit'],
    ['review'],
    [],
  ]);
});

test('what begins with what was typed comes first, whatever else has it in its words', () => {
  const found = ['/compact', '/review', '/preview', '/Reverse'];
  expect(beginningFirst(found, (name) => name.toLowerCase(), '/rev')).toEqual([
    '/review',
    '/Reverse',
    '/compact',
    '/preview',
  ]);
});
