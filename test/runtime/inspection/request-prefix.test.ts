import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventData, LogEvent } from '../../../src/runtime/events.ts';
import { requestReport } from '../../../src/runtime/inspection/request-report.ts';
import { foldReplay } from '../../../src/runtime/replay/fold.ts';
import { made, madeTurn, numbered, oneOfEach, usage } from '../../support/made-events.ts';
import { legalLog } from '../replay/legal-log.ts';
import { story } from '../replay/legal-story.ts';
import { searchRuns } from '../../support/search-runs.ts';

/** Generated logs take as long as they take, also on a busy machine. */
const GENERATED = { timeout: searchRuns(60_000) };

const data = oneOfEach();

function checkpoint(tail_from_seq: number, more: Partial<EventData['history_compaction']> = {}): LogEvent {
  return made('history_compaction', 0, { ...data.history_compaction.data, tail_from_seq, ...more });
}

/** Why the request of the second turn does not begin with that of the first. */
function breaks(more: Partial<EventData['provider_usage']>): readonly string[] {
  const log = numbered([...madeTurn('one'), ...madeTurn('two', more)]);
  const { shared_prefix } = requestReport('s1', log, 3);
  expect(shared_prefix.whole).toBe(shared_prefix.breaks.length === 0);
  expect(shared_prefix.broken_by).toBe(shared_prefix.breaks[0] ?? null);
  expect(shared_prefix).toMatchObject({ items: 1, of_previous: 1, broken_at_seq: null });
  return shared_prefix.breaks;
}

describe('what stands ahead of the input', () => {
  it.each([
    [{}, []],
    [{ model: 'm2' }, ['model_or_endpoint_changed']],
    [{ endpoint: 'https://elsewhere.test/v1' }, ['model_or_endpoint_changed']],
    [{ prompt_contract_version: 'll2' }, ['prompt_contract_changed']],
    [{ skill_index_hash: 'k2' }, ['skills_changed']],
    [{ toolset_hash: 't2' }, ['tools_changed']],
    [{ prompt_cache_key: 'key2' }, ['cache_key_changed']],
  ])('breaks the prefix where it changed: %j', (more, found) => {
    expect(breaks(more)).toEqual(found);
  });

  it('is named in the order in which a prompt is read; a key is made of the rest', () => {
    const other = { toolset_hash: 't2', skill_index_hash: 'k2', prompt_cache_key: 'key2' };
    expect(breaks(other)).toEqual(['skills_changed', 'tools_changed']);
    expect(breaks({ ...other, model: 'm2', prompt_contract_version: 'll2' })).toEqual([
      'model_or_endpoint_changed',
      'prompt_contract_changed',
      'skills_changed',
      'tools_changed',
    ]);
  });

  it('is not known to have changed where one of the two does not say', () => {
    const {
      toolset_hash: _,
      prompt_cache_key: __,
      ...first
    } = usage({ turn_id: 'one', stream_run_id: 'one' });
    const log = numbered([
      ...madeTurn('one').slice(0, 2),
      made('provider_usage', 0, first as EventData['provider_usage']),
      ...madeTurn('two'),
    ]);
    expect(requestReport('s1', log, 3).shared_prefix.breaks).toEqual([]);
  });

  it('is not known of a request that has not left', () => {
    const log = numbered([
      ...madeTurn('one'),
      ...madeTurn('two', { toolset_hash: 't2' }),
      ...madeTurn('three').slice(0, 1),
    ]);
    expect(requestReport('s1', log, null).shared_prefix.breaks).toEqual([]);
  });

  it('comes before what changed in the input', () => {
    const log = numbered([...madeTurn('one'), checkpoint(3), ...madeTurn('two', { toolset_hash: 't2' })]);
    const { breaks: found, broken_by, broken_at_seq } = requestReport('s1', log, 4).shared_prefix;
    expect({ found, broken_by, broken_at_seq }).toEqual({
      found: ['tools_changed', 'compaction'],
      broken_by: 'tools_changed',
      broken_at_seq: 3,
    });
  });
});

describe('a compaction between two requests', () => {
  const facts = { trigger: 'overflow_recovery', tokens_before: 900, tokens_after: 200 };

  it('is named with its checkpoint, the last where there are several', () => {
    const log = numbered([...madeTurn('one'), checkpoint(3), checkpoint(3, facts), ...madeTurn('two')]);
    for (const at of [4, 5])
      expect(requestReport('s1', log, at).shared_prefix).toMatchObject({
        items: 0,
        of_previous: 1,
        broken_by: 'compaction',
        broken_at_seq: 4,
        checkpoint: {
          seq: 4,
          trigger: 'overflow_recovery',
          strategy: 'deterministic_v1',
          tokens_before: 900,
          tokens_after: 200,
        },
      });
  });

  it('is no reason for a break after it', () => {
    const log = numbered([...madeTurn('one'), checkpoint(3), ...madeTurn('two'), ...madeTurn('three')]);
    expect(requestReport('s1', log, 7).shared_prefix).toMatchObject({
      items: 2,
      of_previous: 2,
      whole: true,
      checkpoint: null,
    });
  });
});

describe('the shared prefix', GENERATED, () => {
  it('is that of the last request on record, and never breaks for no reason', () => {
    const seen = { requests: 0, broken: 0, unrecorded: 0 };
    const property = fc.property(story, (told) => {
      const { events, requests } = legalLog(told);
      let before: string[] | null = null;
      requests.forEach(({ length, target }, index) => {
        const end = requests[index + 1]?.length ?? events.length;
        const recorded = events.slice(length, end).some(({ type }) => type === 'provider_usage');
        if (!recorded) return void (seen.unrecorded += 1);
        const { items, shared_prefix, on_record, request_count } = requestReport('s1', events, length - 1);
        const input = foldReplay(events.slice(0, length), target).map((item) => JSON.stringify(item));
        expect(items.map(({ item }) => JSON.stringify(item))).toEqual(input);
        const known = before ?? [];
        const same = known.findIndex((item, at) => item !== input[at]);
        expect([shared_prefix.items, shared_prefix.of_previous]).toEqual([
          same === -1 ? known.length : same,
          known.length,
        ]);
        expect(shared_prefix.breaks).not.toContain('unknown');
        expect(on_record?.model).toBe(target.model);
        expect(request_count).toBe(events.filter(({ type }) => type === 'provider_usage').length);
        before = input;
        seen.requests += 1;
        if (!shared_prefix.whole) seen.broken += 1;
      });
    });
    fc.assert(property, { numRuns: searchRuns(100), seed: 20261117 });
    expect(seen.requests).toBeGreaterThan(200);
    expect(seen.broken).toBeGreaterThan(50);
    expect(seen.unrecorded).toBeGreaterThan(20);
  });
});
