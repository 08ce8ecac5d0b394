import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { replayedOutput } from '../../src/provider/replayed-output.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import type { OutputItem } from '../../src/runtime/ports.ts';
import { foldReplay } from '../../src/runtime/replay/fold.ts';
import { responseDrafts } from '../../src/runtime/response-drafts.ts';
import { searchRuns } from '../support/search-runs.ts';

const TARGET = { model: 'test-model', endpoint: 'https://models.test/v1' };
const MESSAGE: OutputItem = { kind: 'message', text: 'Yes.' };
const CALL: OutputItem = { kind: 'call', call_id: 'c1', name: 'read_file', args: '{"path": "a"}' };
const THOUGHT: OutputItem = {
  kind: 'reasoning',
  item: { id: 'rs_1', type: 'reasoning', zeta: 1, summary: [] },
};

test('an answer is remembered as the next request will send it back', () => {
  expect(replayedOutput([THOUGHT, { ...MESSAGE, phase: 'commentary' }, CALL], ['response.new'])).toEqual([
    { id: 'rs_1', type: 'reasoning', zeta: 1, summary: [] },
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Yes.' }],
      phase: 'commentary',
    },
    { type: 'function_call', call_id: 'c1', name: 'read_file', arguments: '{"path": "a"}' },
  ]);
});

test.each<[string, readonly OutputItem[], readonly string[]]>([
  ['nothing', [], []],
  ['an empty message', [{ kind: 'message', text: '' }, CALL], []],
  ['a refusal beside its calls', [{ kind: 'message', text: 'Hm.', refusal: 'No.' }, CALL], []],
  ['a message in several parts', [{ ...MESSAGE, reshaped: true }], []],
  ['a thought that nothing follows', [MESSAGE, THOUGHT], []],
  ['a thought of another shape', [{ kind: 'reasoning', item: 'hm' }, MESSAGE], []],
  ['an item of an unknown kind', [MESSAGE], ['item:web_search_call']],
  ['a part of an unknown kind', [MESSAGE], ['part:output_audio']],
  ['more of the unknown than is noted', [MESSAGE], Array.from({ length: 50 }, (_, index) => `x.${index}`)],
])('an answer with %s is not sent back whole', (_name, items, unknown) => {
  expect(replayedOutput(items, unknown)).toBeNull();
});

/** What the log makes of an answer, and a request of the log. */
function throughTheLog(items: readonly OutputItem[]): unknown {
  const origin = {
    ...TARGET,
    turn_id: 't1',
    stream_run_id: 'run_1',
    client_turn_id: 'client_1',
    pending_calls: [],
    open_children: [],
    thought_ms: 0,
  };
  const verdict = responseDrafts(items, origin, () => false);
  if (verdict.kind === 'failed') return null;
  const events = verdict.drafts.map((draft, seq) => ({ ...draft, seq }) as LogEvent);
  // A call that waits has a placeholder after it, which is new.
  return foldReplay(events, TARGET).filter(({ type }) => type !== 'function_call_output');
}

const words = fc.constantFrom('', ' ', 'Yes.', '\u2028');
const output: fc.Arbitrary<OutputItem> = fc.oneof(
  words.map((text): OutputItem => ({ kind: 'message', text })),
  fc.tuple(words, fc.constantFrom('commentary', 'final_answer')).map(([text, phase]): OutputItem => ({
    kind: 'message',
    text,
    phase,
  })),
  fc.nat(9).map((n): OutputItem => ({ kind: 'reasoning', item: { type: 'reasoning', id: `rs_${n}` } })),
  fc.nat(99).map((n): OutputItem => ({ kind: 'call', call_id: `c${n}`, name: 'read_file', args: '{}' })),
);

test('it is what the log and its replay make of it, byte for byte', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(output, {
        maxLength: 5,
        selector: (one) => (one.kind === 'call' ? one.call_id : JSON.stringify(one)),
      }),
      (items) => {
        const remembered = replayedOutput(items, []);
        const logged = throughTheLog(items);
        if (remembered === null || logged === null) return;
        expect(JSON.stringify(logged)).toBe(JSON.stringify(remembered));
      },
    ),
    { numRuns: searchRuns(100), seed: 20261118 },
  );
});
