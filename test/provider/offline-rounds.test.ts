import { expect, test } from 'vitest';
import { PENDING_OUTPUT } from '../../src/runtime/replay/labels.ts';
import { converse, user } from './offline-conversation.ts';

/** Several calls in one round, and what becomes of those that a person denies. */

const DENIED = 'Error (denied): The person denied this call.';

test('several commands are made in one round, and each is reported', async () => {
  const text = 'all read a.md; write b.md: B; run npm test -- x; ask Which one?; list; search c';
  const { calls, answer, input } = await converse([user(text)], {
    read_file: () => 'A',
    write_file: () => 'Created b.md: +1 -0 lines.',
    run_command: () => DENIED,
    ask_user: () => 'the first',
    list_files: () => 'a.md',
    search_text: () => 'Error (search_failed): no',
  });
  expect(calls).toEqual([
    'read_file {"path":"a.md","start_line":null,"end_line":null}',
    'write_file {"path":"b.md","content":"B"}',
    'run_command {"command":"npm test -- x","timeout_s":null}',
    'ask_user {"question":"Which one?"}',
    'list_files {"path":null,"glob":null}',
    'search_text {"pattern":"c","path":null,"glob":null,"regex":null}',
  ]);
  expect(input.filter(({ type }) => type === 'message')).toHaveLength(3);
  expect(answer).toBe(
    [
      'a.md:\n```\nA\n```',
      'b.md:\n```\nCreated b.md: +1 -0 lines.\n```',
      `\`run_command\` was denied (npm test -- x), so I leave it:\n\`\`\`\n${DENIED}\n\`\`\``,
      'Your answer:\n```\nthe first\n```',
      'The files:\n```\na.md\n```',
      '`search_text` failed (The hits for "c"):\n```\nError (search_failed): no\n```',
    ].join('\n\n'),
  );
});

test('a semicolon separates only where a command follows', async () => {
  const text = 'all edit a.js: let a = 1; => let a = 2;; run cd x; ls; RUN pwd';
  const { calls } = await converse([user(text)], { edit_file: () => 'ok', run_command: () => 'ok' });
  expect(calls).toEqual([
    'edit_file {"path":"a.js","old_text":"let a = 1;","new_text":"let a = 2;","replace_all":null}',
    'run_command {"command":"cd x; ls","timeout_s":null}',
    'run_command {"command":"pwd","timeout_s":null}',
  ]);
});

test('a round has at most eight calls', async () => {
  const text = `all ${Array.from({ length: 10 }, (_, n) => `read ${n}`).join('; ')}`;
  expect((await converse([user(text)], { read_file: () => 'x' })).calls).toHaveLength(8);
  const wide = 'all parallel 1 2 3 4 5; parallel 6 7 8 9';
  expect((await converse([user(wide)], { read_file: () => 'x' })).calls).toHaveLength(8);
});

test('calls of a round that are not decided yet are named, and the rest is told when they are', async () => {
  const text = 'all read a; run ls; write b: x';
  const { input, answer } = await converse([user(text)], {
    read_file: () => 'A',
    run_command: () => PENDING_OUTPUT,
    write_file: () => PENDING_OUTPUT,
  });
  expect(answer).toBe(
    'I am waiting for a decision about `run_command` {"command":"ls","timeout_s":null}, ' +
      '`write_file` {"path":"b","content":"x"}. I will go on when it has a result.',
  );
  const decided = input.map((item) =>
    item.type === 'function_call_output' && item.output === PENDING_OUTPUT
      ? { ...item, output: DENIED }
      : item,
  );
  const after = await converse(decided, {});
  expect([after.calls, after.answer.match(/was denied/gu)]).toEqual([[], ['was denied', 'was denied']]);
});

test.each([
  ['read a', 'read_file'],
  ['parallel a b', 'read_file'],
  ['list', 'list_files'],
  ['search a', 'search_text'],
  ['write a: b', 'write_file'],
  ['edit a: b => c', 'edit_file'],
  ['run ls', 'run_command'],
  ['ask Why?', 'ask_user'],
  ['fix', 'search_text'],
  ['agent read a; read b', 'spawn_agent'],
])('%j that is denied is called denied and not made again', async (text, name) => {
  const { calls, answer } = await converse([user(text)], { [name]: () => DENIED });
  expect(calls.every((call) => call.startsWith(`${name} `))).toBe(true);
  expect(calls.length).toBeLessThanOrEqual(2);
  expect(answer).toMatch(new RegExp(`^\`${name}\` was denied`, 'u'));
  expect(answer).toContain(DENIED);
});

test('subagents that were started are waited for, those that were denied are named', async () => {
  const { calls, answer } = await converse([user('agents read a; read b')], {
    spawn_agent: ({ task }) => (task === 'read a' ? DENIED : '{"subagent_id":"b"}'),
    wait_agent: () => '{"agents":[{"subagent_id":"b","status":"completed","summary":"b!"}]}',
  });
  expect(calls).toHaveLength(3);
  expect(answer).toBe(
    `\`spawn_agent\` was denied (read a), so I leave it:\n\`\`\`\n${DENIED}\n\`\`\`\n\n` +
      'This is how they ended:\n- read b: completed. b!',
  );
});
