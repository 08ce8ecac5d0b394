import { describe, expect, it } from 'vitest';
import { diagnosisDocument } from '../../../src/presenter/diagnosis-document.ts';
import type { EventData, LogEvent } from '../../../src/runtime/events.ts';
import { inGerman } from '../../support/german.ts';
import { made, numbered, oneOfEach, usage } from '../../support/made-events.ts';
import { check, diagnose } from './diagnosing.ts';

const data = oneOfEach();
const OFFERS = [
  { label: 'Preview compaction', command: 'ledgerline.compactDryRun' },
  { label: 'Compact now', command: 'ledgerline.compact' },
];

function checkpoint(more: Partial<EventData['history_compaction']> = {}): LogEvent {
  return made('history_compaction', 0, {
    ...data.history_compaction.data,
    range: { from_seq: 0, to_seq: 1 },
    tail_from_seq: 2,
    keeps: [0],
    tokens_before: 900,
    tokens_after: 100,
    ...more,
  });
}

/** Three events, and a checkpoint of them. */
function compacted(...checkpoints: readonly LogEvent[]): readonly LogEvent[] {
  return numbered([data.user_message, data.assistant_message, data.run_status, ...checkpoints]);
}

function counted(input: number | null, window: number | null, more: object = {}): LogEvent {
  return made('provider_usage', 0, {
    ...usage({ turn_id: 't1', stream_run_id: 'r1' }),
    tokens: { input, cached: null, output: null, reasoning: null, total: null },
    context: { window_tokens: window, ratio: null, tier: 'unknown' },
    ...more,
  });
}

function said(id: string, events: readonly LogEvent[]): readonly [string, string] {
  const { status, message } = check(diagnose(numbered(events)), id);
  return [status, message];
}

describe('the check of checkpoints', () => {
  it.each([
    [[], 'Nothing was compacted.'],
    [[checkpoint()], '1 checkpoint, with a sound range and its limitations.'],
    [
      [checkpoint(), checkpoint({ tail_from_seq: 4 })],
      '2 checkpoints, each with a sound range and its limitations.',
    ],
  ])('says how many there are, and that they are sound', (checkpoints, message) => {
    expect(said('compaction', compacted(...checkpoints))).toEqual(['ok', message]);
  });

  it.each<[Partial<EventData['history_compaction']>, string]>([
    [{ tail_from_seq: 4 }, 'it names events that are not before it'],
    [{ range: { from_seq: -1, to_seq: 1 } }, 'it names events that are not before it'],
    [{ tail_from_seq: 2.5 }, 'it names events that are not before it'],
    [{ range: { from_seq: 1, to_seq: 0 }, keeps: [] }, 'its range ends before it begins'],
    [{ tail_from_seq: 1 }, 'its tail begins inside of its range'],
    [{ keeps: [0, 2] }, 'it keeps events that are not in its range'],
    [{ limitations: [] }, 'it states no limitations'],
    [{ limitations: [' '] }, 'it states no limitations'],
    [{ tokens_after: 900 }, 'the request did not become smaller by it'],
    [{ summary: '' }, 'it has no summary'],
  ])('names what is wrong with one: %j', (more, what) => {
    const found = check(diagnose(compacted(checkpoint(more))), 'compaction');
    expect(found.status).toBe('warning');
    expect(found.details).toContainEqual({ seq: 3, what });
  });

  it('counts each checkpoint once, and leads to it', () => {
    const events = compacted(checkpoint({ limitations: [], tokens_after: 900 }), checkpoint({ keeps: [9] }));
    expect(check(diagnose(events), 'compaction')).toEqual({
      id: 'compaction',
      status: 'warning',
      message: '2 checkpoints that do not say soundly what they stand for.',
      details: [
        { seq: 3, what: 'it states no limitations' },
        { seq: 3, what: 'the request did not become smaller by it' },
        { seq: 4, what: 'it keeps events that are not in its range' },
      ],
      next_actions: [
        { label: 'Open log', command: 'ledgerline.openLog', args: [{ session_id: 's1', seq: 3 }] },
        { label: 'Inspect request', command: 'ledgerline.inspectRequest', args: [{ session_id: 's1' }] },
      ],
    });
  });

  it('takes counts that are not there, or are none, as not known', () => {
    for (const tokens_after of [undefined, null, '900'])
      expect(said('compaction', compacted(checkpoint({ tokens_after })))[0]).toBe('ok');
  });
});

describe('the check of context pressure', () => {
  it.each([
    [[], 'Unknown: no request was counted yet.'],
    [[counted(null, 1000)], 'Unknown: no request was counted yet.'],
    [[counted(950, null)], 'Unknown: the context window of the model is not known.'],
    [[counted(950, 0)], 'Unknown: the context window of the model is not known.'],
    [[counted(699, 1000)], 'The last request filled 69 % of the context window.'],
    [[counted(799, 1000)], 'The last request filled 79 % of the context window.'],
    [[counted(950, 1000), counted(100, 1000)], 'The last request filled 10 % of the context window.'],
    [
      [counted(100, 1000), counted(950, 1000, { purpose: 'compaction' })],
      'The last request filled 10 % of the context window.',
    ],
    [[counted(950, 1000), checkpoint()], 'History was compacted since a request was last counted.'],
    [
      [counted(950, 1000), checkpoint(), counted(100, 1000)],
      'The last request filled 10 % of the context window.',
    ],
  ])('is fine, or unknown, by the last request that was counted', (events, message) => {
    expect(said('context_pressure', events)).toEqual(['ok', message]);
  });

  it.each([
    [800, 'warning', 'The last request filled 80 % of the context window. Soon there is no room left.'],
    [900, 'critical', 'The last request filled 90 % of the context window. The next one may not fit.'],
  ])('warns at %i of 1000, and offers to compact', (input, tier, message) => {
    const events = numbered([data.user_message, counted(input, 1000), counted(null, 1000)]);
    expect(check(diagnose(events), 'context_pressure')).toEqual({
      id: 'context_pressure',
      status: 'warning',
      message,
      details: { seq: 1, input_tokens: input, window_tokens: 1000, ratio: input / 1000, tier },
      next_actions: OFFERS,
    });
  });
});

describe('both checks', () => {
  it('say in German what they found', () => {
    const events = compacted(checkpoint({ limitations: [] }), counted(950, 1000));
    const { text } = diagnosisDocument('s1', diagnose(events), inGerman);
    expect(text).toContain(
      [
        '### Verdichtung',
        '1 Zwischenstand, der nicht stimmig sagt, wofür er steht.',
        '- seq 3: er nennt keine Einschränkungen',
        'Nächste Schritte: Protokoll öffnen · Anfrage untersuchen',
      ].join('\n'),
    );
    expect(text).toContain(
      [
        '### Füllstand des Kontextfensters',
        'Die letzte Anfrage füllte 95 % des Kontextfensters. Die nächste passt vielleicht nicht mehr.',
        'Nächste Schritte: Verdichtung ansehen · Jetzt verdichten',
      ].join('\n'),
    );
  });
});
