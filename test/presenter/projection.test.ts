import { expect, test } from 'vitest';
import { project } from '../../src/presenter/projection.ts';
import { made } from '../support/made-events.ts';

const LONG = 'x'.repeat(300_000);
const metadata = {
  partial: false,
  client_turn_id: 'k',
  finished_reason: 'stop',
  output_truncation: 'not_truncated',
} as const;

test('what a model and a person say is told to its end', () => {
  const at = { turn_id: 't', stream_run_id: 'r', output_index: 0, output_count: 1 };
  const answer = made('assistant_message', 1, { ...at, text: LONG, metadata });
  expect(project(answer).data['text']).toBe(LONG);
  const args = JSON.stringify({ path: 'a.txt', content: LONG });
  const call = made('tool_call', 2, { ...at, call_id: 'c', name: 'write_file', args });
  expect(project(call).data['args']).toBe(args);
  expect(project(prompt(LONG)).data).toEqual(prompt(LONG).data);
});

test('of what goes on and on the beginning is told, and that it is only that', () => {
  const limit = 2 * 1024 * 1024;
  const { data } = project(prompt('x'.repeat(limit + 1)));
  expect(data).toMatchObject({ text: `${'x'.repeat(limit)}…`, text_length: limit + 1 });
});

function prompt(text: string) {
  return made('user_message', 0, { turn_id: 't', text, client_turn_id: 'k', attachments: [] });
}
