import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { channelOf } from '../../../src/runtime/channels.ts';
import { parseLine, toLine } from '../../../src/runtime/event-line.ts';
import type { LogEvent } from '../../../src/runtime/events.ts';
import { foldReplay, ReplayFold, type ReplayTarget } from '../../../src/runtime/replay/fold.ts';
import type { InputItem } from '../../../src/runtime/replay/items.ts';
import { developerItem, PENDING_OUTPUT } from '../../../src/runtime/replay/labels.ts';
import { RequestValidator } from '../../../src/runtime/replay/validator.ts';
import { applyToSession, emptySession } from '../../../src/runtime/session-state.ts';
import { FOREIGN } from './event-teller.ts';
import { legalLog, type LegalLog } from './legal-log.ts';
import { story } from './legal-story.ts';
import { searchRuns } from '../../support/search-runs.ts';

/** Generated logs take as long as they take, also on a busy machine. */
const GENERATED = { timeout: searchRuns(60_000) };

const TARGETS: readonly ReplayTarget[] = [
  { model: 'm1', endpoint: 'e1' },
  { model: 'm2', endpoint: 'e1' },
  { model: 'm1', endpoint: 'e2' },
  { model: 'm1', endpoint: 'e1', without_reasoning: true },
];

function forEveryLog(check: (log: LegalLog) => void, numRuns = 50): void {
  fc.assert(
    fc.property(story, (told) => check(legalLog(told))),
    { numRuns: searchRuns(numRuns), seed: 20260101 },
  );
}

/** Fewer logs where every prefix of each is folded anew. */
const EVERY_PREFIX = 60;

function bytes(events: Iterable<LogEvent>, target: ReplayTarget): string {
  return JSON.stringify(foldReplay(events, target));
}

/** Every prefix of a log, from one event to all. */
function prefixes(events: readonly LogEvent[]): readonly (readonly LogEvent[])[] {
  return events.map((_, index) => events.slice(0, index + 1));
}

function isPlaceholder(item: InputItem): boolean {
  return item.type === 'function_call_output' && item.output === PENDING_OUTPUT;
}

function hasSeen(item: InputItem): boolean {
  return item.type === 'function_call_output' && typeof item.output !== 'string';
}

describe('the logs these properties are checked on', GENERATED, () => {
  it('are legal: no fold finds a move that the tables do not have', () => {
    forEveryLog(({ events }) => {
      let state = emptySession('s1');
      for (const event of events) {
        state = applyToSession(state, event);
        expect(state.turn?.violations ?? []).toEqual([]);
      }
    });
  });

  it('have all that can happen in them, many times', () => {
    const seen = new Map<string, number>();
    const count = (what: string): unknown => seen.set(what, (seen.get(what) ?? 0) + 1);
    forEveryLog(({ events, requests }) => {
      for (const event of events) {
        count(event.type === 'assistant_message' && event.data.metadata.partial ? 'partial' : event.type);
      }
      for (const { length, target, rewritten } of requests) {
        if (!rewritten) count('request that extends the last');
        const input = foldReplay(events.slice(0, length), target);
        if (input.some(isPlaceholder)) count('request with a pending call');
        if (input.some((item) => item.type === 'reasoning')) count('request with reasoning');
        if (input.some(hasSeen)) count('request with an image that a call came back with');
      }
    });
    const rare = [...seen].filter(([, times]) => times < 5);
    expect(rare).toEqual([]);
    const wanted = ['partial', 'unknown', 'history_compaction', 'skill_activation', 'branch_summary'];
    expect([...seen.keys()]).toEqual(
      expect.arrayContaining([
        ...wanted,
        'request with a pending call',
        'request with an image that a call came back with',
      ]),
    );
  });
});

describe('the input of a request', GENERATED, () => {
  it('is not changed by one byte through audit facts, wherever they stand', () => {
    forEveryLog(({ events, requests }) => {
      for (const { length, target } of requests) {
        const log = events.slice(0, length);
        const replayed = log.filter((event) => channelOf(event) === 'replayed');
        expect(bytes(replayed, target)).toBe(bytes(log, target));
      }
    });
  });

  it('is the same bytes for the same log, also when it comes from its lines', () => {
    forEveryLog(({ events }) => {
      const read = events.map((event) => {
        const parsed = parseLine(toLine(event));
        if (!parsed.ok) throw new Error(parsed.reason);
        return parsed.event;
      });
      for (const target of TARGETS) expect(bytes(read, target)).toBe(bytes(events, target));
    });
  });

  it('starts with the whole input of the request before, unless something was decided or compacted', () => {
    forEveryLog(({ events, requests }) => {
      requests.forEach((request, index) => {
        const before = requests[index - 1];
        if (before === undefined || request.rewritten) return;
        if (JSON.stringify(before.target) !== JSON.stringify(request.target)) return;
        const earlier = foldReplay(events.slice(0, before.length), before.target);
        const input = foldReplay(events.slice(0, request.length), request.target);
        expect(JSON.stringify(input.slice(0, earlier.length))).toBe(JSON.stringify(earlier));
      });
    });
  });

  it('pairs every call with exactly one output after it, and every output with a call', () => {
    forEveryLog(({ events }) => {
      for (const prefix of prefixes(events)) {
        const input = foldReplay(prefix, { model: 'm1', endpoint: 'e1' });
        const places = new Map<string, { readonly call: number[]; readonly output: number[] }>();
        input.forEach((item, index) => {
          if (item.type !== 'function_call' && item.type !== 'function_call_output') return;
          const place = places.get(item.call_id) ?? { call: [], output: [] };
          (item.type === 'function_call' ? place.call : place.output).push(index);
          places.set(item.call_id, place);
        });
        const wrong = [...places].filter(
          ([, { call, output }]) =>
            call.length !== 1 || output.length !== 1 || (call[0] ?? 0) >= (output[0] ?? 0),
        );
        expect(wrong).toEqual([]);
      }
    }, EVERY_PREFIX);
  });

  it('gives the real output of every call that has a result, and a placeholder to no other', () => {
    forEveryLog(({ events, requests }) => {
      for (const { length, target } of requests) {
        const log = events.slice(0, length);
        const settled = new Set(log.flatMap((e) => (e.type === 'tool_result' ? [e.data.call_id] : [])));
        for (const item of foldReplay(log, target)) {
          if (item.type !== 'function_call_output') continue;
          expect([item.call_id, item.output === PENDING_OUTPUT]).toEqual([
            item.call_id,
            !settled.has(item.call_id),
          ]);
        }
      }
    });
  });

  it('keeps the messages and calls of a response together and in their order', () => {
    forEveryLog(({ events }) => {
      const fold = new ReplayFold();
      for (const event of events) fold.push(event);
      const { sent } = fold.explain({ model: 'm1', endpoint: 'e1', without_reasoning: true });
      const streams = sent.map(({ seq, item }) => {
        const event = events[seq];
        const isOutput = item.type === 'function_call_output';
        return event !== undefined && !isOutput && 'stream_run_id' in event.data
          ? event.data.stream_run_id
          : null;
      });
      const runs = streams.filter((stream, index) => stream !== null && stream !== streams[index - 1]);
      expect(runs).toEqual([...new Set(runs)]);
      const own = sent.flatMap(({ seq }, index) => (streams[index] === null ? [] : [seq]));
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    });
  });

  it('keeps every image until a checkpoint takes its place', () => {
    forEveryLog(({ events, requests }) => {
      for (const { length, target } of requests) {
        const log = events.slice(0, length);
        const images = log.flatMap((event) =>
          event.type === 'user_message' && survives(event, log)
            ? event.data.attachments.flatMap(({ data }) =>
                data === undefined ? [] : [`data:image/png;base64,${data}`],
              )
            : [],
        );
        const sent = foldReplay(log, target).flatMap((item) =>
          item.type === 'message' && item.role === 'user'
            ? item.content.flatMap((part) => (part.type === 'input_image' ? [part.image_url] : []))
            : [],
        );
        expect(sent).toEqual(images);
      }
    });
  });

  it('speaks as developer only in our own fixed words', () => {
    forEveryLog(({ events }) => {
      const ours = events.flatMap((event) =>
        event.type === 'developer_context' ? [JSON.stringify(developerItem(event.data))] : [],
      );
      for (const target of TARGETS) {
        for (const item of foldReplay(events, target)) {
          if (item.type !== 'message' || item.role !== 'developer') continue;
          expect(ours).toContain(JSON.stringify(item));
          expect(JSON.stringify(item)).not.toContain(FOREIGN);
        }
      }
    });
  });

  it('labels what is not the user’s own words, so that nobody takes them for a request', () => {
    forEveryLog(({ events }) => {
      const prompts = new Set(
        events.flatMap((event) => (event.type === 'user_message' ? [event.data.text] : [])),
      );
      for (const item of foldReplay(events, { model: 'm1', endpoint: 'e1' })) {
        if (item.type !== 'message' || item.role !== 'user') continue;
        const [first] = item.content;
        const words = first?.type === 'input_text' ? first.text : '';
        expect(prompts.has(words) || words.startsWith('[Ledgerline ')).toBe(true);
      }
    });
  });

  it('is the same whether it is folded at once or kept up to date event by event', () => {
    forEveryLog(({ events }) => {
      const fold = new ReplayFold();
      prefixes(events).forEach((prefix, index) => {
        fold.push(events[index]!);
        for (const target of [TARGETS[0]!, TARGETS[index % TARGETS.length]!]) {
          expect(JSON.stringify(fold.input(target))).toBe(bytes(prefix, target));
          expect(JSON.stringify(fold.explain(target).sent.map(({ item }) => item))).toBe(
            JSON.stringify(fold.input(target)),
          );
        }
      });
    }, EVERY_PREFIX);
  });

  it('is acceptable for every prefix of a log that holds anything to send', () => {
    forEveryLog(({ events }) => {
      for (const target of TARGETS) {
        const validator = new RequestValidator();
        const fold = new ReplayFold();
        for (const event of events) {
          fold.push(event);
          const input = fold.input(target);
          if (input.length > 0) expect(validator.check(input)).toEqual([]);
        }
      }
    }, EVERY_PREFIX);
  });

  it('accounts for every replayed event: it is sent once, or left out for a reason', () => {
    forEveryLog(({ events }) => {
      for (const target of TARGETS) {
        const fold = new ReplayFold();
        for (const event of events) fold.push(event);
        const { sent, excluded } = fold.explain(target);
        const real = sent.filter(({ placeholder }) => placeholder !== true).map(({ seq }) => seq);
        expect(real).toHaveLength(new Set(real).size);
        const replayed = events.filter((event) => channelOf(event) === 'replayed').map(({ seq }) => seq);
        expect([...real, ...excluded.keys()].toSorted((a, b) => a - b)).toEqual(replayed);
      }
    });
  });
});

/** Not before the tail of any later checkpoint. */
function survives(event: LogEvent, log: readonly LogEvent[]): boolean {
  return log.every(
    (later) =>
      later.type !== 'history_compaction' || later.seq < event.seq || later.data.tail_from_seq <= event.seq,
  );
}
