import { expect, test } from 'vitest';
import { prefixLengths } from './log-cuts.ts';
import { SEARCHING } from './search-runs.ts';

const line = (type: string, data: object = {}): string => `${JSON.stringify({ type, data })}\n`;

test('a log is cut behind the first and the last event of each kind', () => {
  const log = [
    line('user_message', { text: 'one' }),
    line('tool_call_status', { call_id: 'a', to: 'running' }),
    line('tool_call_status', { call_id: 'b', to: 'running' }),
    line('tool_call_status', { call_id: 'c', to: 'running' }),
    line('tool_call_status', { call_id: 'a', to: 'succeeded' }),
    line('user_message', { text: 'two' }),
  ].join('');
  expect(prefixLengths(log)).toEqual(SEARCHING ? [6, 5, 4, 3, 2, 1] : [6, 5, 4, 2, 1]);
});
