import { describe, expect, test } from 'vitest';
import { meterModel, partsOf, stretches } from '../../../webview/composer/meter-model.ts';
import { pressureOf } from '../../../webview/composer/pressure.ts';
import {
  detailWords,
  nameWords,
  percentWords,
  sourceWords,
  summaryWords,
} from '../../../webview/composer/meter-words.ts';
import type { HostMessage } from '../../../src/presenter/protocol.ts';

const PARTS = { instructions: 100, tools: 300, skills: 50, history: 1500, tool_output: 50 };

type Pressure = Extract<HostMessage, { type: 'context_pressure' }>;

function model(more: Partial<Pressure> = {}) {
  return meterModel(
    pressureOf({
      v: 1,
      type: 'context_pressure',
      tier: 'none',
      ratio: 0.4,
      input_tokens: 4000,
      cached_tokens: 3000,
      window_tokens: 10_000,
      parts: PARTS,
      ...more,
    }),
  );
}

describe('the meter', () => {
  test('says what is used, cached and free, and scales the parts to what was counted', () => {
    expect(model()).toEqual({
      tier: 'none',
      ratio: 0.4,
      used: 4000,
      cached: 3000,
      free: 6000,
      window: 10_000,
      isEstimate: false,
      isOfNext: false,
      parts: [
        { name: 'instructions', tokens: 200, share: 0.05 },
        { name: 'tools', tokens: 600, share: 0.15 },
        { name: 'skills', tokens: 100, share: 0.025 },
        { name: 'history', tokens: 3000, share: 0.75 },
        { name: 'tool_output', tokens: 100, share: 0.025 },
      ],
    });
  });

  test('takes the sum of the parts where nobody counted, and says so', () => {
    const estimate = model({ estimated: true, input_tokens: 2000, cached_tokens: null, ratio: 0.2 });
    expect(estimate).toMatchObject({ used: 2000, cached: null, free: 8000, isEstimate: true });
    expect(estimate.parts.map(({ tokens }) => tokens)).toEqual([100, 300, 50, 1500, 50]);
    expect(model({ input_tokens: null, ratio: 0.2 })).toMatchObject({ used: 2000, isEstimate: true });
  });

  test('does not know what nobody says', () => {
    expect(meterModel(null)).toEqual({
      tier: 'unknown',
      ratio: null,
      used: null,
      cached: null,
      free: null,
      window: null,
      isEstimate: false,
      isOfNext: false,
      parts: [],
    });
    expect(model({ window_tokens: null, ratio: null })).toMatchObject({ free: null, window: null });
    expect(model({ parts: undefined }).parts).toEqual([]);
  });

  test('has nothing free in a window that was too small, and never more cached than used', () => {
    expect(model({ input_tokens: 12_000, cached_tokens: 13_000, ratio: 1.2 })).toMatchObject({
      used: 12_000,
      cached: 12_000,
      free: 0,
    });
  });
});

describe('the parts', () => {
  test.each([1, 7, 100, 3333, 128_001])('sum up to %i exactly', (total) => {
    const parts = partsOf(PARTS, total);
    expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(total);
    expect(parts.every(({ tokens }) => Number.isInteger(tokens) && tokens >= 0)).toBe(true);
  });

  test('of nothing are none', () => {
    const none = { instructions: 0, tools: 0, skills: 0, history: 0, tool_output: 0 };
    expect(partsOf(none, 100)).toEqual([]);
  });
});

describe('the bar', () => {
  test('is as long as what is used, with what is cached first', () => {
    expect(stretches(model(), 100)).toEqual({ cached: 30, other: 10 });
    expect(stretches(model({ cached_tokens: null }), 100)).toEqual({ cached: 0, other: 40 });
  });

  test('is never longer than it is, and not there for an unknown window', () => {
    expect(stretches(model({ ratio: 1.5, cached_tokens: 0 }), 100)).toEqual({ cached: 0, other: 100 });
    expect(stretches(model({ ratio: null }), 100)).toBeNull();
  });
});

describe('the words', () => {
  const estimate = { estimated: true, cached_tokens: null } as const;

  test('tell what was counted from what was estimated', () => {
    expect([model(), model(estimate), model({ ratio: null })].map(percentWords)).toEqual([
      '40 %',
      '~40 %',
      '– %',
    ]);
    expect(
      [
        meterModel(null),
        model(),
        model(estimate),
        model({ ratio: null, window_tokens: null }),
        model({ ...estimate, ratio: null, window_tokens: null }),
      ].map(summaryWords),
    ).toEqual([
      'Context: nothing was measured yet',
      'The last request filled 40 % of the window.',
      'The last request filled about 40 % of the window (estimate).',
      'The last request had 4,000 tokens. The window is not known.',
      'The last request had about 4,000 tokens (estimate). The window is not known.',
    ]);
  });

  test('are about the next request once history is compacted', () => {
    const next = { ...estimate, after_compaction: true, parts: undefined } as const;
    expect([model(next), model({ ...next, ratio: null, window_tokens: null })].map(summaryWords)).toEqual([
      'The next request will fill about 40 % of the window (estimate).',
      'The next request will have about 4,000 tokens (estimate). The window is not known.',
    ]);
    expect([model(), model(estimate), model(next)].map(sourceWords)).toEqual([
      'Tokens of the last request, as the provider counted them.',
      'Estimate: the provider did not count the tokens of the last request.',
      'Estimate: history was compacted since the last request.',
    ]);
  });

  test('claim no part of the window that is not filled', () => {
    expect(percentWords(model({ ratio: 0.896 }))).toBe('89 %');
    expect(summaryWords(model({ ratio: 0.999 }))).toBe('The last request filled 99 % of the window.');
  });

  test('name the meter by what is written on it', () => {
    expect([model(), model(estimate), model({ ratio: null })].map(nameWords)).toEqual([
      'Context 40 %',
      'Context ~40 %',
      'Context',
    ]);
  });

  test('have all of it at a glance', () => {
    expect(detailWords(model()).split('\n')).toEqual([
      'The last request filled 40 % of the window.',
      'Used: 4,000 tokens',
      'From cache: 3,000 tokens',
      'Free: 6,000 tokens',
      'Instructions: about 200 tokens',
      'Tools: about 600 tokens',
      'Skills: about 100 tokens',
      'History: about 3,000 tokens',
      'Tool outputs: about 100 tokens',
    ]);
    expect(detailWords(meterModel(null))).toBe('Context: nothing was measured yet');
  });
});
