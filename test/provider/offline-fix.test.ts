import { expect, test } from 'vitest';
import { converse, type FakeTools, user } from './offline-conversation.ts';

const BROKEN = [
  'export function total(items) {',
  '  // BUG: starts at 1 instead of 0',
  '  let sum = 1;',
  '  for (const item of items) sum += item;',
  '  return sum;',
  '}',
  '',
].join('\n');

/** A workspace of one file, with the real formats of the tools. */
function workspace(files: Map<string, string>): FakeTools {
  return {
    search_text({ pattern }) {
      const hits = [...files].flatMap(([path, text]) =>
        text
          .split('\n')
          .flatMap((line, index) =>
            line.includes(String(pattern)) ? [`${path}:${index + 1}: ${line}`] : [],
          ),
      );
      return hits.length === 0 ? '[No matches.]' : hits.join('\n');
    },
    read_file: ({ path }) => files.get(String(path)) ?? `Error (not_found): ${String(path)}`,
    edit_file({ path, old_text, new_text }) {
      const text = files.get(String(path)) ?? '';
      if (text.split(String(old_text)).length !== 2) return 'Error (no_match): old_text does not occur once';
      files.set(
        String(path),
        text.replace(String(old_text), () => String(new_text)),
      );
      return '1 replacement';
    },
    run_command: () =>
      files.get('src/total.js')?.includes('let sum = 0;') === true
        ? '# pass 1\n# fail 0'
        : 'Error (exit_code): the command ended with exit code 1\n# pass 0\n# fail 1',
  };
}

test('the marked bug is found, fixed and proven by the tests', async () => {
  const files = new Map([
    ['README.md', 'Try `fix`: it looks for BUG: comments.'],
    ['src/total.js', BROKEN],
  ]);
  const { calls, answer } = await converse([user('fix')], workspace(files));
  expect(calls).toEqual([
    'search_text {"pattern":"BUG:","path":null,"glob":null,"regex":null}',
    'read_file {"path":"src/total.js","start_line":null,"end_line":null}',
    'run_command {"command":"npm test","timeout_s":null}',
    'edit_file {"path":"src/total.js","old_text":"// BUG: starts at 1 instead of 0\\n  let sum = 1;","new_text":"let sum = 0;","replace_all":null}',
    'run_command {"command":"npm test","timeout_s":null}',
  ]);
  expect(files.get('src/total.js')).toBe(
    BROKEN.replace('  // BUG: starts at 1 instead of 0\n', '').replace('let sum = 1;', 'let sum = 0;'),
  );
  expect(answer).toBe(
    [
      'Fixed.',
      '- `src/total.js`: `let sum = 1;` is now `let sum = 0;`',
      '- `npm test` before: failed: Error (exit_code): the command ended with exit code 1',
      '- `npm test` after: passed',
      '',
      '```',
      '# pass 1',
      '# fail 0',
      '```',
    ].join('\n'),
  );
});

test('without a mark there is nothing to fix', async () => {
  const { calls, answer } = await converse(
    [user('fix')],
    workspace(new Map([['README.md', 'BUG: in words']])),
  );
  expect(calls).toHaveLength(1);
  expect(answer).toBe('I found no comment with `BUG:` in a source file, so there is nothing I can fix.');
});

test('a mark in another form is left alone', async () => {
  const files = new Map([['src/total.js', '// BUG: wrong\nlet sum = 1;\n']]);
  const { answer } = await converse([user('fix')], workspace(files));
  expect(answer).toBe(
    '`src/total.js` has the mark, but not in the form I know: `BUG: ... <wrong> instead of <right>` above the wrong line.',
  );
});

test('a denied edit is not called a fix and not tried again', async () => {
  const files = new Map([['src/total.js', BROKEN]]);
  const tools = { ...workspace(files), edit_file: () => 'Error (denied): The person denied this call.' };
  const { calls, answer } = await converse([user('fix')], tools);
  expect(calls).toHaveLength(4);
  expect(answer).toBe(
    '`edit_file` was denied, so I stop. Nothing is fixed.\n```\nError (denied): The person denied this call.\n```',
  );
});

test.each([
  [1, 'Nothing is fixed.', 3],
  [2, 'The edit is made, but not tested.', 5],
])('denied tests end the task, the run %i of them too', async (which, state, made) => {
  const files = new Map([['src/total.js', BROKEN]]);
  let runs = 0;
  const run_command = () => {
    runs += 1;
    return runs === which ? 'Error (denied): Not now.' : '# pass 0';
  };
  const { calls, answer } = await converse([user('fix')], { ...workspace(files), run_command });
  expect(calls).toHaveLength(made);
  expect(answer).toBe(
    `\`run_command\` was denied, so I stop. ${state}\n\`\`\`\nError (denied): Not now.\n\`\`\``,
  );
});

test('tests that still fail after the edit are reported as failing', async () => {
  const files = new Map([['src/total.js', BROKEN]]);
  const tools = { ...workspace(files), run_command: () => 'Error (exit_code): exit code 2' };
  const { answer } = await converse([user('fix')], tools);
  expect(answer.split('\n').slice(0, 4)).toEqual([
    'I changed the line, but the tests did not pass.',
    '- `src/total.js`: `let sum = 1;` is now `let sum = 0;`',
    '- `npm test` before: failed: Error (exit_code): exit code 2',
    '- `npm test` after: failed: Error (exit_code): exit code 2',
  ]);
});
