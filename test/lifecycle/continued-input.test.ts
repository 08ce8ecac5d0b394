import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldReplay } from '../../src/runtime/replay/fold.ts';
import { oddStreamOf, type Reply } from '../support/responses-server/reply.ts';
import { stage, type Window } from './window.ts';
import { searchRuns } from '../support/search-runs.ts';

/** What the model reads is what the log says, however little of it was sent. */

const on = stage();
let stories = 0;
let deeds = 0;

type Json = Readonly<Record<string, unknown>>;

function said(content: readonly Json[], more: Json = {}): Json {
  return { type: 'message', role: 'assistant', status: 'completed', content, ...more };
}

function words(text: string): Json {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

const REFUSAL: Json = { type: 'refusal', refusal: 'No.' };

/** Few ids, so that some come again. */
const called = fc
  .tuple(
    fc.constantFrom('c1', 'c2', 'c3'),
    fc.constantFrom(
      ['list_files', '{"path": null, "glob": null}'],
      ['write_file', '{"path":"b.txt","content":"x"}'],
      ['nothing', '{}'],
      ['read_file', '{oops'],
    ),
  )
  .map(([call_id, [name, args]]): Json => ({ type: 'function_call', call_id, name, arguments: args }));

const output = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('Yes.', 'Grüße 🦊', ' ').map((text) => said([words(text)])) },
  { weight: 5, arbitrary: called },
  { weight: 3, arbitrary: fc.constant<Json>({ type: 'reasoning', summary: [] }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      said([words('Hm.')], { phase: 'commentary' }),
      said([words('Done.')], { phase: 'final_answer' }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      said([]),
      said([words('')]),
      said([words('Hel'), words('lo.')]),
      said([REFUSAL]),
      said([words('Hm.'), REFUSAL]),
      { type: 'web_search_call', status: 'completed' },
    ),
  },
);

const DEEDS = [
  'say',
  'say without tools',
  'approve',
  'deny',
  'another model',
  'another mode',
  'compact',
  'come back',
] as const;
type Deed = (typeof DEEDS)[number];

const deed = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Deed>('say') },
  { weight: 1, arbitrary: fc.constantFrom(...DEEDS) },
);

const uniqueCall = (item: Json): unknown => item['call_id'] ?? Symbol('not a call');
const story = fc.record({
  answers: fc.array(fc.uniqueArray(output, { minLength: 1, maxLength: 4, selector: uniqueCall }), {
    minLength: 3,
    maxLength: 6,
  }),
  later: fc.array(deed, { minLength: 3, maxLength: 8 }),
});

function answering(answers: readonly (readonly Json[])[], index: number): Reply {
  const id = `resp_${index}`;
  // A turn has to come to an end.
  const items = (answers[index % answers.length] ?? []).filter(
    ({ type }) => type !== 'function_call' || index % 3 !== 2,
  );
  const named = items.map((item, n) => ({
    ...item,
    id: `item_${index}_${n}`,
    ...(item['type'] === 'reasoning' ? { encrypted_content: `thought_${index}_${n}` } : {}),
  }));
  const usage = { input_tokens: 100, output_tokens: 10, total_tokens: 110 };
  return oddStreamOf([
    { type: 'response.created', response: { id, status: 'in_progress', output: [] } },
    ...named.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
    { type: 'response.completed', response: { id, status: 'completed', output: named, usage } },
  ]);
}

const SETTINGS = { transport: 'websocket', permissionMode: 'ask', maxRounds: 5 };

async function done(one: Deed, window: Window, session: string): Promise<void> {
  deeds += 1;
  const pending = window.messages.findLast(
    (message) => message.type === 'tool_state' && message.state === 'suspended',
  );
  const call = pending?.type === 'tool_state' ? pending.call_id : 'none';
  switch (one) {
    case 'say':
      return window.send('And?');
    case 'say without tools':
      return window.receive({ type: 'send', client_turn_id: `bare_${deeds}`, text: 'Hm?', tools: 'none' });
    case 'approve':
      return window.decide(call, 'resume');
    case 'deny':
      return window.decide(call, 'cancel');
    case 'another model':
      return window.receive({ type: 'set', model: `gpt-${deeds % 2}` });
    case 'another mode':
      return window.receive({ type: 'set', mode: deeds % 2 === 0 ? 'auto' : 'ask' });
    case 'compact':
      return window.receive({ type: 'compact', dry_run: false });
    case 'come back':
      await window.receive({ type: 'new_session' });
      return window.receive({ type: 'open_session', session_id: session });
  }
}

/** What only the provider's copy of its own items has. */
function plain(item: unknown): unknown {
  const { type, role, content, phase, call_id, name, arguments: args } = item as Record<string, unknown>;
  if (type === 'function_call') return { type, call_id, name, arguments: args };
  if (type !== 'message' || role !== 'assistant') return item;
  const parts = (content as readonly Record<string, unknown>[]).map(({ type: kind, text, refusal }) =>
    kind === 'refusal' ? { type: kind, refusal } : { type: kind, text },
  );
  return { type, role, content: parts, ...(phase === undefined ? {} : { phase }) };
}

test('each request of a conversation over a socket is to the model what its log says, byte for byte', async () => {
  let continued = 0;
  const tried = fc.asyncProperty(story, async ({ answers, later }) => {
    stories += 1;
    const session = `s${stories}`;
    await on.script(...Array.from({ length: 60 }, (_, index) => () => answering(answers, index)));
    const window = await on.open(SETTINGS, session);
    for (const one of ['say', ...later] as const) {
      await done(one, window, session);
      await window.rests();
    }
    await window.close();
    const events = await on.events(session);
    const calls = events.flatMap((event) => (event.type === 'provider_usage' ? [event.data] : []));
    const whole = calls.map(({ at_seq = -1, model, endpoint = '' }) =>
      foldReplay(
        events.filter(({ seq }) => seq <= at_seq),
        { model, endpoint },
      ),
    );
    expect(on.requests.map(({ refusal }) => refusal)).toEqual(whole.map(() => null));
    expect(on.requests.map(({ input }) => JSON.stringify(input.map(plain)))).toEqual(
      whole.map((input) => JSON.stringify(input)),
    );
    continued += calls.filter(({ continuation }) => continuation.used).length;
  });
  await fc.assert(tried, { numRuns: searchRuns(40), seed: 36 });
  expect(continued).toBeGreaterThan(20);
});
