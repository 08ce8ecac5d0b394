import { expect, test } from 'vitest';
import { forkPlace, lastSeq } from '../../webview/fork-place.ts';
import { foldItems, type Turn } from '../../webview/transcript.ts';

const of = { turn_id: 't1', ts: '2026-01-01T00:00:00.000Z' };

function turnOf(
  items: readonly { readonly seq: number; readonly type: string; readonly data: object }[],
): Turn {
  const blocks = foldItems(items.map((item) => ({ ...of, ...item, data: { ...item.data } })));
  const turn = blocks.find((block) => block.kind === 'turn');
  if (turn?.kind !== 'turn') throw new Error('no turn');
  return turn;
}

test('the menu of an entry says from where to fork, and nothing where the log does not have it yet', () => {
  expect(forkPlace(7)).toEqual({
    'data-vscode-context': '{"webviewSection":"transcriptEntry","at_seq":7}',
  });
  expect([forkPlace(undefined), forkPlace(-1)]).toEqual([{}, {}]);
});

test('a turn is forked at the last event of it that a fork would have, a call at its result', () => {
  const prompt = { seq: 2, type: 'user_message', data: { text: 'Hi', client_turn_id: 'c', attachments: [] } };
  const call = { seq: 5, type: 'tool_call', data: { call_id: 'x', name: 'read_file', args: '{}' } };
  const result = {
    seq: 9,
    type: 'tool_result',
    data: { call_id: 'x', ok: true, output: '', duration_ms: 1 },
  };
  const run = { seq: 12, type: 'run_status', data: { status: 'done' } };
  expect(lastSeq(turnOf([prompt]))).toBe(2);
  expect(lastSeq(turnOf([prompt, call]))).toBe(5);
  expect(lastSeq(turnOf([prompt, call, result, run]))).toBe(9);
});
