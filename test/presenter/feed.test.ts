import { expect, test } from 'vitest';
import { Feed } from '../../src/presenter/feed.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { beginTurn } from '../../src/runtime/turn.ts';
import { made } from '../support/made-events.ts';

/** A feed whose frames the test releases. */
function feed(): { feed: Feed; messages: HostMessage[]; frame: () => number } {
  const messages: HostMessage[] = [];
  const frames: (() => void)[] = [];
  const prompt = made('user_message', 0, { turn_id: 't', text: 'hi', client_turn_id: 'k', attachments: [] });
  const turn = prompt.type === 'user_message' ? beginTurn(prompt) : null;
  const built = new Feed(
    (message) => messages.push(message),
    (callback) => void frames.push(callback),
    () => ({ id: 's', turn }),
  );
  const frame = (): number => {
    const due = frames.splice(0);
    for (const callback of due) callback();
    return due.length;
  };
  return { feed: built, messages, frame };
}

const at = { turn_id: 't', stream_run_id: 'r' };

test('the first delta goes out at once, and each frame has one message, however many there were', () => {
  const bench = feed();
  bench.feed.output({ kind: 'text_delta', ...at, text: 'first ' });
  expect(bench.messages.splice(0)).toEqual([{ v: 1, type: 'delta', ...at, kind: 'text', text: 'first ' }]);
  for (let i = 0; i < 40; i += 1) {
    bench.feed.output({ kind: 'text_delta', ...at, text: 'a' });
    bench.feed.output({ kind: 'reasoning_delta', ...at, text: 'b' });
  }
  expect(bench.messages).toEqual([]);
  bench.frame();
  expect(bench.messages.splice(0)).toEqual([
    { v: 1, type: 'delta', ...at, kind: 'text', text: 'a'.repeat(40) },
  ]);
  bench.frame();
  expect(bench.messages.splice(0)).toEqual([
    { v: 1, type: 'delta', ...at, kind: 'reasoning', text: 'b'.repeat(40) },
  ]);
  bench.frame();
  expect(bench.messages).toEqual([]);
  expect(bench.feed.stream).toEqual({ ...at, text: `first ${'a'.repeat(40)}`, reasoning: 'b'.repeat(40) });
});

test('a stream that pauses is heard at once when it goes on, and leaves no timer behind', () => {
  const bench = feed();
  bench.feed.output({ kind: 'text_delta', ...at, text: 'one ' });
  bench.feed.output({ kind: 'text_delta', ...at, text: 'two ' });
  expect(bench.frame()).toBe(1);
  expect(bench.frame()).toBe(1);
  expect(bench.frame()).toBe(0);
  bench.feed.output({ kind: 'text_delta', ...at, text: 'three' });
  expect(bench.messages.map((message) => message.type === 'delta' && message.text)).toEqual([
    'one ',
    'two ',
    'three',
  ]);
});

test('the last words go out when the stream ends, not when its frame does', () => {
  const bench = feed();
  for (const text of ['one ', 'two ', 'three']) bench.feed.output({ kind: 'text_delta', ...at, text });
  bench.feed.output({ kind: 'stream_rest', ...at });
  expect(bench.messages.map((message) => message.type === 'delta' && message.text)).toEqual([
    'one ',
    'two three',
  ]);
  bench.frame();
  expect(bench.messages).toHaveLength(2);
});

test('buffered text goes out before a state', () => {
  const bench = feed();
  bench.feed.output({ kind: 'text_delta', ...at, text: 'at once ' });
  bench.feed.output({ kind: 'text_delta', ...at, text: 'seen' });
  bench.feed.turnState({ always: true });
  expect(bench.messages.map(({ type }) => type)).toEqual(['delta', 'delta', 'turn_state']);
  bench.frame();
  expect(bench.messages).toHaveLength(3);
});

test('what a running call said last is told again to who comes in late, until it runs no more', () => {
  const bench = feed();
  const said = (text: string): void =>
    bench.feed.output({ kind: 'tool_progress', turn_id: 't', call_id: 'c', text });
  const told = (): readonly unknown[] => {
    bench.messages.splice(0);
    bench.feed.running();
    return bench.messages.map((message) => message.type === 'tool_state' && message.progress);
  };
  said('one\n');
  said('two\n');
  expect(told()).toEqual(['one\ntwo\n']);
  said('x'.repeat(5000));
  expect(told()).toEqual(['x'.repeat(4096)]);
  const ended = { turn_id: 't', call_id: 'c', from: 'running', to: 'succeeded' } as const;
  bench.feed.output({ kind: 'committed', events: [made('tool_call_status', 1, ended)] });
  expect(told()).toEqual([]);
});
