import { expect, test } from 'vitest';
import { meterModel } from '../../../webview/composer/meter-model.ts';
import { MeterFacts, type CompactOffer } from '../../../webview/composer/meter-panel.tsx';
import type { Pressure } from '../../../webview/state.ts';
import { click, draw, elementsIn, type SmallElement, type SmallNode } from '../../support/small-dom.ts';

const PRESSURE: Pressure = {
  tier: 'warning',
  ratio: 0.85,
  input_tokens: 850,
  cached_tokens: 800,
  window_tokens: 1000,
  parts: { instructions: 10, tools: 20, skills: 0, history: 60, tool_output: 10 },
  estimated: false,
  after_compaction: false,
};

function panel(pressure: Pressure | null, compact: CompactOffer | null = { locked: null }) {
  const done: unknown[] = [];
  const { body } = draw(
    <MeterFacts
      model={meterModel(pressure)}
      compact={compact}
      presenter={{ post: (message) => done.push(message), gesture: () => undefined }}
      close={() => done.push('closed')}
    />,
  );
  return { body, done };
}

function named(node: SmallNode, ...names: readonly string[]): readonly SmallElement[] {
  return elementsIn(node).filter(({ localName }) => names.includes(localName));
}

function words(node: SmallNode, ...names: readonly string[]): readonly string[] {
  return named(node, ...names).map(({ textContent }) => textContent);
}

test('the panel says how full the window is, of what, and from where it knows', () => {
  const { body } = panel(PRESSURE);
  expect(words(body, 'p', 'dt', 'dd', 'h3', 'li')).toEqual([
    'The last request filled 85 % of the window.',
    'Getting full',
    'Used',
    '850 tokens',
    'From cache',
    '800 tokens',
    'Free',
    '150 tokens',
    'Window',
    '1,000 tokens',
    'Tokens of the last request, as the provider counted them.',
    'What fills it, by estimated shares',
    'Instructions85',
    'Tools170',
    'Skills0',
    'History510',
    'Tool outputs85',
    'Compacting sums up earlier history for the model. Here all of it stays.',
  ]);
});

test.each([
  [0.93, 'Nearly full'],
  [1.3, 'Full'],
])('a window that is full to %s is said to be: %s', (ratio, said) => {
  const { body } = panel({ ...PRESSURE, tier: 'critical', ratio });
  expect(words(body, 'p')[1]).toBe(said);
});

test('an estimate is said to be one, and an unknown window to be unknown, with what to do about it', () => {
  const { body, done } = panel({
    ...PRESSURE,
    tier: 'unknown',
    ratio: null,
    cached_tokens: null,
    window_tokens: null,
    estimated: true,
  });
  expect(words(body, 'p', 'dd')).toEqual([
    'The last request had about 850 tokens (estimate). The window is not known.',
    'about 850 tokens',
    'unknown',
    'unknown',
    'unknown',
    'Estimate: the provider did not count the tokens of the last request.',
    'If you know the window of this model, set ledgerline.contextWindow.',
    'Compacting sums up earlier history for the model. Here all of it stays.',
  ]);
  const [settings] = named(body, 'button');
  if (settings === undefined) throw new Error('a button is missing');
  click(settings);
  expect(done).toEqual([
    'closed',
    { type: 'run_action', command: 'workbench.action.openSettings', args: ['ledgerline.contextWindow'] },
  ]);
});

test('what comes of a checkpoint is said of the next request, in the panel as in what is pointed at', () => {
  const { body } = panel({
    ...PRESSURE,
    cached_tokens: null,
    parts: null,
    estimated: true,
    after_compaction: true,
  });
  expect(words(body, 'p').slice(0, 3)).toEqual([
    'The next request will fill about 85 % of the window (estimate).',
    'Getting full',
    'Estimate: history was compacted since the last request.',
  ]);
});

function classes(pressure: Pressure | null): readonly string[] {
  return named(panel(pressure).body, 'rect').map(({ attributes }) => attributes.get('class') ?? '');
}

test('what is used has both colours of the bar where a part came from the cache, and no part of nothing has a bar', () => {
  const [used, ...others] = ['meter-cached', 'meter-other', 'meter-cached', 'meter-track'];
  const bar = ['meter-track', 'meter-cached', 'meter-other'];
  expect(classes(PRESSURE)).toEqual([...bar, used, ...others, ...Array<string>(4).fill('part-fill')]);
  expect(classes({ ...PRESSURE, cached_tokens: null, parts: null })).toEqual([
    'meter-track',
    'meter-other',
    'meter-other',
    'meter-cached',
    'meter-track',
  ]);
});

test('only a bar of which nothing is known is broken', () => {
  expect([
    classes({ ...PRESSURE, tier: 'unknown', estimated: true })[0],
    classes({ ...PRESSURE, ratio: null })[0],
    classes(null)[0],
  ]).toEqual(['meter-track', 'meter-track meter-track-unknown', 'meter-track meter-track-unknown']);
});

test('looking comes before compacting, and neither is primary', () => {
  const { body, done } = panel(PRESSURE);
  const buttons = named(body, 'button');
  expect(buttons.map(({ textContent }) => textContent)).toEqual(['Preview compaction', 'Compact now']);
  expect(buttons.map(({ attributes }) => attributes.get('class'))).toEqual(['button', 'button']);
  for (const button of buttons) click(button);
  expect(done).toEqual([
    'closed',
    { type: 'run_action', command: 'ledgerline.compactDryRun' },
    'closed',
    { type: 'run_action', command: 'ledgerline.compact' },
  ]);
});

test('where nothing can be written, or nothing was said yet, nothing is compacted', () => {
  const { body } = panel(PRESSURE, { locked: 'Another has it.' });
  expect(named(body, 'button').map(({ attributes }) => attributes.get('title'))).toEqual([
    'Another has it.',
    'Another has it.',
  ]);
  expect(named(panel(null, null).body, 'button').map(({ textContent }) => textContent)).toEqual([
    'Open settings',
  ]);
});
