import { describe, expect, test } from 'vitest';
import { drawnEntries } from '../../webview/drawn-entries.ts';
import { answer, call, item, prompt, turnOf } from './log-items.ts';

const STREAM = { turn_id: 't1', stream_run_id: 's1', text: 'hello', reasoning: 'hm' };

function keys(...shown: Parameters<typeof drawnEntries>): readonly string[] {
  return drawnEntries(...shown).map(({ key, live }) => (live ? `${key} live` : key));
}

describe('what a turn shows', () => {
  test('keeps its key when the log has what streamed in', () => {
    const before = keys(turnOf([prompt(0)]), STREAM);
    const thought = item(1, 'reasoning', { stream_run_id: 's1', summary: 'hm' });
    const after = keys(turnOf([prompt(0), thought, answer(2, 'hello')]), null);
    expect(before).toEqual(['thought s1', 'text s1 live']);
    expect(after).toEqual(['thought s1', 'text s1']);
  });

  test('a thought is under way until the answer begins', () => {
    expect(keys(turnOf([prompt(0)]), { ...STREAM, text: '' })).toEqual(['thought s1 live']);
  });

  test('has a key of its own for each, also for a second text of a stream', () => {
    const turn = turnOf([prompt(0), answer(1, 'a'), call(2), answer(3, 'b')]);
    expect(keys(turn, { ...STREAM, stream_run_id: 's2', reasoning: '' })).toEqual([
      'text s1',
      '2',
      '3',
      'text s2 live',
    ]);
  });
});
