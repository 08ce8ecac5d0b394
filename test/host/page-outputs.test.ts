import { expect, test } from 'vitest';
import { withShortOutputs } from '../../src/host/page-outputs.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';

function appended(output: string, more: Record<string, unknown> = {}): HostMessage {
  const data = { call_id: 'c', ok: true, output, ...more };
  return {
    v: 1,
    type: 'append',
    session_id: 's',
    items: [{ seq: 3, ts: '', type: 'tool_result', turn_id: 't', data }],
  };
}

test('of a long output a page gets the beginning and the end, and how long it is', () => {
  const output = `first ${'x'.repeat(30_000)} last`;
  const expected = `first ${'x'.repeat(4090)}\n…\n${'x'.repeat(4091)} last`;
  expect(withShortOutputs(appended(output))).toEqual(appended(expected, { output_length: output.length }));
});

test('one that was cut before keeps its whole length', () => {
  const cut = appended('x'.repeat(64 * 1024), { output_length: 300_000 });
  expect(withShortOutputs(cut)).toMatchObject({ items: [{ data: { output_length: 300_000 } }] });
});

test('what is short, and what is no output, is left alone', () => {
  const short = appended('x'.repeat(8192));
  expect(withShortOutputs(short)).toBe(short);
  const notice: HostMessage = { v: 1, type: 'notice', level: 'info', message: 'x', next_actions: [] };
  expect(withShortOutputs(notice)).toBe(notice);
});
