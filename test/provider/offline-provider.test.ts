import { expect, test } from 'vitest';
import { createOfflineProvider } from '../../src/provider/offline/offline-provider.ts';
import { PENDING_OUTPUT } from '../../src/runtime/replay/labels.ts';
import type { ProviderEvent } from '../../src/runtime/ports.ts';
import { converse, offlineEvents, offlineRequest, tool, TOOLS, user } from './offline-conversation.ts';

const UNKNOWN_TOKENS = { input: null, cached: null, output: null, reasoning: null, total: null };

function textOf(events: readonly ProviderEvent[]): string {
  return events.map((event) => (event.kind === 'text_delta' ? event.text : '')).join('');
}

async function answerTo(text: string): Promise<string> {
  return (await converse([user(text)], {})).answer;
}

test.each(['hello', 'Help!', 'hi', ''])(
  '%j is answered with what it is and what it can do',
  async (greeting) => {
    const answer = await answerTo(greeting);
    expect(answer.split('\n')[0]).toBe(
      "I am Ledgerline's offline model: a fixed script, not a real model. I understand only these commands:",
    );
    expect(answer.split('\n').slice(1, 4)).toEqual([
      '- help — this list',
      '- read <path> — reads a file',
      '- parallel <path> <path> ... — reads files in one round',
    ]);
  },
);

test('it lists only what the tools that are offered can do', async () => {
  const request = offlineRequest([user('help')]);
  const tools = request.tools.filter(({ name }) => name === 'read_file');
  const listed = textOf(await offlineEvents({ ...request, tools }))
    .split('\n- ')
    .slice(1)
    .map((line) => line.split(' ')[0]);
  expect(listed).toEqual(['help', 'read', 'parallel', 'all', 'think', 'slow', 'cut', 'fail']);
});

test('asking is listed when somebody can be asked, also without a folder', async () => {
  const request = offlineRequest([user('help')]);
  const tools = request.tools.filter(({ name }) => name === 'ask_user');
  expect(textOf(await offlineEvents({ ...request, tools }))).toContain(
    '\n- ask <question> — asks you something\n',
  );
});

test('what it does not understand it says', async () => {
  expect(await answerTo('Please refactor everything')).toMatch(
    /^I do not understand "Please refactor everything"\. I am Ledgerline's offline model/u,
  );
});

test('words are streamed, and together they are the message', async () => {
  const events = await offlineEvents(offlineRequest([user('hello')]));
  const last = events.at(-1);
  const message = last?.kind === 'completed' ? last.items[0] : undefined;
  expect(message).toEqual({ kind: 'message', text: textOf(events) });
  expect(events[0]).toEqual({ kind: 'activity', output: false });
  expect(last).toMatchObject({ response_id: null, tokens: UNKNOWN_TOKENS, unknown_events: [] });
  expect(events.filter(({ kind }) => kind === 'text_delta').length).toBeGreaterThan(20);
  expect(events.some((event) => event.kind === 'text_delta' && event.text === '')).toBe(false);
});

test('reading quotes the beginning of the file', async () => {
  const file = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join('\n');
  const { calls, answer } = await converse([user('read src/a b.ts')], { read_file: () => file });
  expect(calls).toEqual(['read_file {"path":"src/a b.ts","start_line":null,"end_line":null}']);
  expect(answer).toBe(
    `src/a b.ts:\n\`\`\`\n${file.split('\n').slice(0, 12).join('\n')}\n\`\`\`\n(the beginning of 40 lines)`,
  );
});

test('a failed tool is reported as failed', async () => {
  const { answer } = await converse([user('read nowhere')], {
    read_file: () => 'Error (not_found): nowhere does not exist.',
  });
  expect(answer).toBe('`read_file` failed (nowhere):\n```\nError (not_found): nowhere does not exist.\n```');
});

test('files are read in one round, and a quote cannot break out of its fence', async () => {
  const files: Readonly<Record<string, string>> = { 'a.md': '```js\nx\n```', 'b.md': '' };
  const { calls, answer } = await converse([user('parallel a.md "b.md"')], {
    read_file: ({ path }) => files[String(path)] ?? 'Error (not_found): no',
  });
  expect(calls).toHaveLength(2);
  expect(answer).toBe('a.md:\n````\n```js\nx\n```\n````\n\nb.md:\n```\n(empty)\n```');
});

test.each([
  ['list', 'list_files {"path":null,"glob":null}'],
  ['list src/**/*.ts', 'list_files {"path":null,"glob":"src/**/*.ts"}'],
  ['search "two words"', 'search_text {"pattern":"two words","path":null,"glob":null,"regex":null}'],
  [
    'write docs/x.md: # Title\n\ntext: more',
    'write_file {"path":"docs/x.md","content":"# Title\\n\\ntext: more"}',
  ],
  ['write C:\\x.md: y', 'write_file {"path":"C:\\\\x.md","content":"y"}'],
  [
    'edit src/a.js: let a = 1; => let a = 2;',
    'edit_file {"path":"src/a.js","old_text":"let a = 1;","new_text":"let a = 2;","replace_all":null}',
  ],
  [
    'run npm test -- --grep "x => y"',
    'run_command {"command":"npm test -- --grep \\"x => y\\"","timeout_s":null}',
  ],
  ['ask Which one?', 'ask_user {"question":"Which one?"}'],
])('%j becomes a call', async (text, call) => {
  const fakes = Object.fromEntries(TOOLS.map(({ name }) => [name, () => 'ok']));
  expect((await converse([user(text)], fakes)).calls).toEqual([call]);
});

test.each([
  'read',
  'parallel one',
  'search',
  'write x',
  'edit x: y',
  'run',
  'ask',
  'agent ;',
  'all',
  'all read a; write x',
  'all read a; slow',
  'all please',
  'fail nonsense',
])('%j is answered with its right form', async (text) => {
  expect(await answerTo(text)).toMatch(/^That command has another form: /u);
});

test('tasks go to subagents, which are waited for', async () => {
  const { calls, answer } = await converse([user('agents read a; read b')], {
    spawn_agent: ({ task }) => `{"subagent_id":"${String(task)}"}`,
    wait_agent: () => '{"agents":[{"subagent_id":"read b","status":"completed","summary":"b!"}]}',
  });
  expect(calls).toEqual([
    'spawn_agent {"task":"read a","agent":null,"timeout_ms":null}',
    'spawn_agent {"task":"read b","agent":null,"timeout_ms":null}',
    'wait_agent {"ids":null,"timeout_ms":null}',
  ]);
  expect(answer).toBe('This is how they ended:\n- read b: completed. b!');
});

test('the step of a workflow reports its checkpoint before its last words', async () => {
  const tools = [...TOOLS, tool('report_checkpoint', ['status', 'summary'], ['limitations'])];
  const fakes = { read_file: () => 'content', report_checkpoint: () => 'ok' };
  const { calls, answer } = await converse([user('read a')], fakes, tools);
  expect(calls[1]).toBe(
    'report_checkpoint {"status":"checkpoint_ready","summary":"a:\\n```\\ncontent\\n```","limitations":null}',
  );
  expect(answer).toBe('a:\n```\ncontent\n```');
});

test('a tool that is not offered is not called', async () => {
  const { calls, answer } = await converse([user('run ls')], {}, []);
  expect(calls).toEqual([]);
  expect(answer).toBe('The tool `run_command` is not offered here, so I cannot do that.');
});

test('a call that waits for a decision is named, and its result is used when it comes', async () => {
  const { input } = await converse([user('run ls')], { run_command: () => PENDING_OUTPUT });
  const waiting = input.at(-1);
  expect(waiting).toMatchObject({
    content: [
      {
        text: 'I am waiting for a decision about `run_command` {"command":"ls","timeout_s":null}. I will go on when it has a result.',
      },
    ],
  });
  const decided = input.map((item) =>
    item.type === 'function_call_output' ? { ...item, output: 'a.ts' } : item,
  );
  expect((await converse(decided, {})).answer).toBe('ls:\n```\na.ts\n```');
});

test('the last words of the person count, not notes, earlier turns or attachments', async () => {
  const earlier = await converse([user('read a')], { read_file: () => 'A' });
  const input = [
    ...earlier.input,
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'read b' },
        { type: 'input_text', text: '[Attached file: c]\nread c' },
      ],
    } as const,
    user('[Ledgerline note: skill x is active for this turn]\nread d'),
  ];
  const { calls } = await converse(input, { read_file: () => 'B' });
  expect(calls).toEqual(['read_file {"path":"b","start_line":null,"end_line":null}']);
});

test('what was attached is named, though nobody looks at it', async () => {
  const content = [
    { type: 'input_text', text: 'hello' },
    { type: 'input_text', text: '[Attached file: src/a.ts]\nconst a = 1;' },
    { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
  ] as const;
  const { answer } = await converse([{ type: 'message', role: 'user', content }], {});
  expect(answer).toMatch(/I cannot look at attachments\. You attached: file: src\/a\.ts; image\.$/u);
});

test('thinking gives a reasoning item that can be sent back', async () => {
  const events = await offlineEvents(offlineRequest([user('think about bees')]));
  const reasoning = events.map((event) => (event.kind === 'reasoning_delta' ? event.text : '')).join('');
  expect(reasoning).toMatch(/^The person asks me to think about bees\./u);
  const { input } = await converse([user('think about bees')], {});
  const again = await converse([...input, user('help')], {});
  expect(again.input.map(({ type }) => type)).toEqual([
    'message',
    'reasoning',
    'message',
    'message',
    'message',
  ]);
});

test('failing, cutting and every kind of error end as they say', async () => {
  expect(await offlineEvents(offlineRequest([user('fail')]))).toEqual([
    { kind: 'activity', output: false },
    { kind: 'activity', output: true },
    {
      kind: 'failed',
      failure: {
        kind: 'server_error',
        message: 'The offline model failed because it was asked to. Nothing is wrong.',
      },
    },
  ]);
  expect((await offlineEvents(offlineRequest([user('fail rate_limited')]))).map(({ kind }) => kind)).toEqual([
    'activity',
    'failed',
  ]);
  const cut = await offlineEvents(offlineRequest([user('cut')]));
  expect(textOf(cut)).toMatch(/the last thing you see is$/u);
  expect(cut.at(-1)).toMatchObject({ kind: 'failed', failure: { kind: 'stream_cut' } });
});

test('a slow answer can be stopped between two words', async () => {
  const controller = new AbortController();
  const waits: number[] = [];
  const provider = createOfflineProvider({
    async sleep(ms, signal) {
      waits.push(ms);
      if (waits.length === 5) controller.abort();
      expect(signal).toBe(controller.signal);
    },
  });
  const events: ProviderEvent[] = [];
  for await (const event of provider.stream(offlineRequest([user('slow')]), controller.signal))
    events.push(event);
  expect([waits, textOf(events), events.length]).toEqual([[250, 250, 250, 250, 250], 'Line 1 of 60:', 5]);
});

test('the real pause ends at once when it is stopped', async () => {
  const controller = new AbortController();
  const events: ProviderEvent[] = [];
  for await (const event of createOfflineProvider().stream(
    offlineRequest([user('slow')]),
    controller.signal,
  )) {
    events.push(event);
    if (event.kind === 'text_delta') queueMicrotask(() => controller.abort());
  }
  expect(events.map(({ kind }) => kind)).toEqual(['activity', 'text_delta']);
});

test('the same request gives the same answer, and different ones never share a call id', async () => {
  const request = offlineRequest([user('read a')]);
  expect(await offlineEvents(request)).toEqual(await offlineEvents(request));
  const twice = await converse([...(await converse([user('read a')], {})).input, user('read a')], {});
  const ids = twice.input.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []));
  expect(new Set(ids).size).toBe(2);
});

const SKILL = '---\nname: review\ndescription: d\n---\nRead it twice.\n';
const NOTE = user(`[Ledgerline note: skill review is active for this turn]\n${SKILL}`);

test('a skill is activated, and the answer is from the text that this brought', async () => {
  const request = offlineRequest([user('skill review')]);
  const activate = tool('activate_skill', ['name']);
  const tools = [...request.tools, activate];
  const asked = (await offlineEvents({ ...request, tools })).at(-1);
  const made = asked?.kind === 'completed' ? asked.items.find((one) => one.kind === 'call') : undefined;
  expect(made).toMatchObject({ name: 'activate_skill', args: '{"name":"review"}' });
  const input = [
    ...request.input,
    { type: 'function_call', call_id: 'c1', name: 'activate_skill', arguments: '{"name":"review"}' } as const,
    { type: 'function_call_output', call_id: 'c1', output: 'The skill review is active.' } as const,
    NOTE,
  ];
  expect(textOf(await offlineEvents({ ...request, input, tools }))).toBe(
    'The skill `review` says:\n```\nRead it twice.\n```',
  );
});

test('a skill that a message begins with is told, or what follows its name is done', async () => {
  expect((await converse([user('/review'), NOTE], {})).answer).toContain('Read it twice.');
  expect((await converse([user('/review think'), NOTE], {})).answer).toContain('I have thought about');
  expect(await answerTo('/review')).toContain('I do not understand');
});
