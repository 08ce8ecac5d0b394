import { describe, expect, test } from 'vitest';
import { duration, wholeSeconds } from '../../webview/durations.ts';
import { passages } from '../../webview/fenced-code.ts';
import { isHostMessage } from '../../webview/host-message.ts';
import { prettyArguments, toolLine } from '../../webview/tool-lines.ts';
import { foldItems, type CallEntry, type Turn } from '../../webview/transcript.ts';
import { evidenceOf } from '../../webview/turn-evidence.ts';
import { phraseOf } from '../../webview/turn-phrases.ts';
import { call, delta, failed, item, prompt, result, snapshot, TS } from './log-items.ts';

function turnOf(items: Parameters<typeof foldItems>[0]): Turn {
  const [block] = foldItems(items);
  if (block?.kind !== 'turn') throw new Error('no turn');
  return block;
}

function callOf(items: Parameters<typeof foldItems>[0]): CallEntry {
  const entry = turnOf(items).entries.find((one) => one.kind === 'call');
  if (entry === undefined) throw new Error('no call');
  return entry;
}

function usage(seq: number, total: number | null): ReturnType<typeof item> {
  return item(seq, 'provider_usage', { tokens: { input: 1000, cached: 910, output: 10, total } });
}

describe('passages', () => {
  test('are prose and fenced code, without the fences', () => {
    expect(passages('Look:\n\n```ts\nconst a = 1;\n```\n\nDone.')).toEqual([
      { kind: 'prose', text: 'Look:', language: '' },
      { kind: 'code', text: 'const a = 1;', language: 'ts' },
      { kind: 'prose', text: 'Done.', language: '' },
    ]);
  });

  test('take an open fence as code, because it may still be streaming in', () => {
    expect(passages('```\nhalf')).toEqual([{ kind: 'code', text: 'half', language: '' }]);
  });

  test('end a fence only at one that is as long', () => {
    expect(passages('````\n```\n````')).toEqual([{ kind: 'code', text: '```', language: '' }]);
  });

  test('keep markup as text', () => {
    expect(passages('<img src=x>')).toEqual([{ kind: 'prose', text: '<img src=x>', language: '' }]);
  });
});

describe('a tool line', () => {
  test('says what was done to what, for how long and how it ended', () => {
    expect(toolLine(callOf([prompt(0), call(1), result(2)]))).toEqual({
      verb: 'Read',
      folder: 'src/',
      subject: 'login.ts',
      outcome: 'ok',
      tone: 'quiet',
      duration: '0.1 s',
    });
  });

  test('names an unknown tool, whatever its arguments are', () => {
    const odd = item(1, 'tool_call', { call_id: 'x', name: 'hum', args: 'not json', stream_run_id: 's1' });
    expect(toolLine(callOf([prompt(0), odd]))).toMatchObject({ verb: 'hum', subject: '', outcome: 'queued' });
    expect(prettyArguments('not json')).toBe('not json');
  });

  test('says that the outcome is unknown', () => {
    const suspension = { id: 'p1', reason: 'outcome_unknown', message: '' };
    const status = item(2, 'tool_call_status', { call_id: 'call_1', to: 'suspended', suspension });
    expect(toolLine(callOf([prompt(0), call(1), status]))).toMatchObject({
      outcome: 'outcome unknown',
      tone: 'yellow',
    });
  });
});

describe('the phrase of a turn', () => {
  const started = Date.parse(TS);
  const facts = {
    turn: turnOf([prompt(0)]),
    told: null,
    state: 'running',
    stopping: false,
    now: started + 4000,
    newsAt: started + 3000,
  } as const;

  test('says what runs and since when', () => {
    expect(phraseOf(facts).phrase).toBe('Working: waiting for the model, 4 s');
  });

  test('says so when there is no news for ten seconds', () => {
    expect(phraseOf({ ...facts, now: started + 14_000 }).phrase).toBe(
      'Working: waiting for the model, 14 s. No news for 11 s',
    );
  });

  test('says that it was interrupted, and why', () => {
    const turn = turnOf([prompt(0), failed(1, 'interrupted')]);
    expect(phraseOf({ ...facts, turn, state: 'interrupted' })).toEqual({
      phrase: 'Response interrupted',
      detail: 'The stream ended.',
    });
  });

  test('says what it took to complete', () => {
    expect(evidenceOf(turnOf([prompt(0), call(1), result(2), usage(3, 12_400)]))).toBe(
      '1 call, 12.4k tokens, 91 % cached',
    );
    expect(evidenceOf(turnOf([prompt(0), usage(1, 12_400), usage(2, null)]))).toBe('');
  });
});

test('durations are as short as they are exact', () => {
  expect([0, 120, 9900, 61_000].map(duration)).toEqual(['<0.1 s', '0.1 s', '9.9 s', '1 min 1 s']);
  expect([400, 120_000].map(wholeSeconds)).toEqual(['0 s', '2 min']);
});

test('only messages of the protocol are taken', () => {
  expect([snapshot([]), delta('a')].map(isHostMessage)).toEqual([true, true]);
  const bad = [null, 'delta', {}, { type: 'delta' }, { type: 'constructor' }, { ...delta('a'), text: 1 }];
  expect(bad.map(isHostMessage)).toEqual(bad.map(() => false));
});
