import { expect, test } from 'vitest';
import { GrowingText } from '../../src/app/growing-text.ts';
import type { SessionOutput } from '../../src/runtime/outputs.ts';

function told(...looks: readonly (readonly [stream: string, text: string])[]): readonly SessionOutput[] {
  const outputs: SessionOutput[] = [];
  const growing = new GrowingText((output) => outputs.push(output));
  for (const [stream_run_id, text] of looks) growing.is({ turn_id: 't', stream_run_id, text });
  return outputs;
}

const delta = (stream_run_id: string, text: string): SessionOutput => ({
  kind: 'text_delta',
  turn_id: 't',
  stream_run_id,
  text,
});

test('what came since the last look is told, once', () => {
  expect(told(['a', 'one '], ['a', 'one '], ['a', 'one two'])).toEqual([
    delta('a', 'one '),
    delta('a', 'two'),
  ]);
});

test('another stream begins anew', () => {
  expect(told(['a', 'one '], ['b', 'one two'])).toEqual([delta('a', 'one '), delta('b', 'one two')]);
});

test('text that does not go on from what was told is not told: the log will say what it came to', () => {
  expect(told(['a', 'one '], ['a', 'other'], ['a', 'one more'])).toEqual([
    delta('a', 'one '),
    delta('a', 'more'),
  ]);
});
