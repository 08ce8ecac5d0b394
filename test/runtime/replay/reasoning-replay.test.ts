import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KnownEvent, LogEvent } from '../../../src/runtime/events.ts';
import { foldReplay, ReplayFold, type ReplayTarget } from '../../../src/runtime/replay/fold.ts';
import type { InputItem } from '../../../src/runtime/replay/items.ts';
import { made, numbered, oneOfEach } from '../../support/made-events.ts';
import { legalLog, type LegalLog } from './legal-log.ts';
import { story } from './legal-story.ts';
import { searchRuns } from '../../support/search-runs.ts';

/** Generated logs take as long as they take, also on a busy machine. */
const GENERATED = { timeout: searchRuns(60_000) };

const TARGET: ReplayTarget = { model: 'm1', endpoint: 'e1' };

function forEveryPrefix(check: (prefix: readonly LogEvent[], log: LegalLog) => void): void {
  const property = fc.property(story, (told) => {
    const log = legalLog(told);
    log.events.forEach((_, index) => check(log.events.slice(0, index + 1), log));
  });
  fc.assert(property, { numRuns: searchRuns(35), seed: 20260102 });
}

function reasoningOf(input: readonly InputItem[]): readonly string[] {
  return input.flatMap((item) => (item.type === 'reasoning' ? [JSON.stringify(item)] : []));
}

/** What the rules say of a prefix, without the fold: same maker, something follows, no checkpoint between. */
function expected(prefix: readonly LogEvent[], target: ReplayTarget): readonly string[] {
  return prefix.flatMap((event) => {
    if (event.type !== 'reasoning') return [];
    const { model, endpoint, item } = event.data;
    const made = model === target.model && endpoint === target.endpoint;
    return made && isFollowed(event, prefix) && !isCut(event, prefix) ? [JSON.stringify(item)] : [];
  });
}

function isFollowed({ seq, data }: KnownEvent<'reasoning'>, prefix: readonly LogEvent[]): boolean {
  return prefix.some(
    (later) =>
      later.seq > seq &&
      (later.type === 'tool_call' || later.type === 'assistant_message') &&
      later.data.stream_run_id === data.stream_run_id,
  );
}

function isCut({ seq }: LogEvent, prefix: readonly LogEvent[]): boolean {
  return prefix.some((e) => e.type === 'history_compaction' && e.seq > seq && e.data.tail_from_seq > seq);
}

describe('the reasoning of earlier answers', GENERATED, () => {
  it('is sent back verbatim and in order, only to its maker, only when something follows it', () => {
    forEveryPrefix((prefix) => {
      for (const endpoint of ['e1', 'e2']) {
        const target = { model: 'm1', endpoint };
        expect(reasoningOf(foldReplay(prefix, target))).toEqual(expected(prefix, target));
      }
    });
  });

  it('stands right before what it led to, in its own response', () => {
    forEveryPrefix((prefix) => {
      const fold = new ReplayFold();
      for (const event of prefix) fold.push(event);
      const { sent } = fold.explain(TARGET);
      const streams = sent.map(({ seq }) => {
        const event = prefix[seq];
        return event !== undefined && 'stream_run_id' in event.data ? event.data.stream_run_id : null;
      });
      sent.forEach(({ item, placeholder }, index) => {
        if (item.type !== 'reasoning') return;
        const next = sent.findIndex((other, at) => at > index && other.item.type !== 'reasoning');
        const followed = sent[next]?.item;
        expect([placeholder, streams[next]]).toEqual([undefined, streams[index]]);
        expect(['function_call', 'message']).toContain(followed?.type);
      });
    });
  });

  it('is left out whole for the retry without it, and nothing else changes', () => {
    forEveryPrefix((prefix) => {
      const withoutIt = foldReplay(prefix, { ...TARGET, without_reasoning: true });
      const others = foldReplay(prefix, TARGET).filter((item) => item.type !== 'reasoning');
      expect(JSON.stringify(withoutIt)).toBe(JSON.stringify(others));
    });
  });

  it('keeps the order of its keys and every field it does not know', () => {
    const { user_message, reasoning, assistant_message } = oneOfEach();
    const item = { id: 'rs_1', zeta: { b: 1, a: [null, 'é'] }, type: 'reasoning', encrypted_content: 'x==' };
    const log = numbered([
      user_message,
      made('reasoning', 0, { ...reasoning.data, item, model: 'm1', endpoint: 'e1' }),
      assistant_message,
    ]);
    const [, sent] = foldReplay(log, TARGET);
    expect(JSON.stringify(sent)).toBe(
      '{"id":"rs_1","zeta":{"b":1,"a":[null,"é"]},"type":"reasoning","encrypted_content":"x=="}',
    );
  });

  it('is not sent when it is no item, and the report says so', () => {
    const { user_message, reasoning, assistant_message } = oneOfEach();
    for (const item of ['text', null, 7, { type: 'message' }]) {
      const odd = made('reasoning', 1, { ...reasoning.data, item, model: 'm1', endpoint: 'e1' });
      const fold = new ReplayFold();
      for (const event of numbered([user_message, odd, assistant_message])) fold.push(event);
      expect(fold.explain(TARGET).excluded).toEqual(new Map([[1, 'reasoning_not_an_item']]));
      expect(reasoningOf(fold.input(TARGET))).toEqual([]);
    }
  });

  it('is dropped for good once something else stands after it', () => {
    const { user_message, reasoning, tool_call, tool_result } = oneOfEach();
    const thought = made('reasoning', 0, { ...reasoning.data, model: 'm1', endpoint: 'e1' });
    const late = made('tool_call', 0, { ...tool_call.data, call_id: 'c2' });
    for (const between of [user_message, tool_result]) {
      const fold = new ReplayFold();
      for (const event of numbered([tool_call, thought, between, late])) fold.push(event);
      expect(fold.explain(TARGET).excluded).toEqual(new Map([[1, 'reasoning_without_following_item']]));
      expect(reasoningOf(fold.input(TARGET))).toEqual([]);
    }
  });

  it('of one response is not handed to the next', () => {
    const { user_message, reasoning, tool_call } = oneOfEach();
    const log = numbered([
      user_message,
      made('reasoning', 0, { ...reasoning.data, model: 'm1', endpoint: 'e1', stream_run_id: 'r1' }),
      made('tool_call', 0, { ...tool_call.data, stream_run_id: 'r2' }),
    ]);
    const fold = new ReplayFold();
    for (const event of log) fold.push(event);
    expect(fold.explain(TARGET).excluded).toEqual(new Map([[1, 'reasoning_without_following_item']]));
    expect(reasoningOf(fold.input(TARGET))).toEqual([]);
  });
});
