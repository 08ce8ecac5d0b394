import { childrenWaiting } from '../../webview/agents/child-waiting.ts';
import { crewWithLive, NO_CREW } from '../../webview/agents/crew.ts';
import { handsOn } from '../support/child-stories.ts';
import { COMMAND } from './agents/crew-items.ts';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../src/presenter/protocol.ts';
import { thoughtWords } from '../../webview/answer-text.tsx';
import { duration, wholeSeconds } from '../../webview/durations.ts';
import { isHostMessage } from '../../webview/host-message.ts';
import { prettyArguments, toolLine } from '../../webview/tool-lines.ts';
import { phraseOf } from '../../webview/turn-phrases.ts';
import { verdictsOf } from '../../webview/verdicts.ts';
import { waitingCalls } from '../../webview/waiting-calls.ts';
import {
  call,
  callOf,
  decision,
  delta,
  failed,
  item,
  moved,
  permission,
  prompt,
  result,
  snapshot,
  suspended,
  toldOfTurn,
  TS,
  turnOf,
} from './log-items.ts';

function verdicts(...items: readonly Item[]): readonly string[] {
  return verdictsOf(callOf([prompt(0), call(1), ...items]));
}

describe('a tool line', () => {
  test('a call without a result gets none once its turn has ended', () => {
    const running = callOf([prompt(0), call(1), moved(2, 'new', 'running')]);
    expect(toolLine(running)).toMatchObject({ outcome: 'running', tone: 'plain' });
    expect(toolLine(running, { over: true })).toMatchObject({ outcome: 'no result', tone: 'quiet' });
    const done = callOf([prompt(0), call(1), result(2)]);
    expect(toolLine(done, { over: true })).toEqual(toolLine(done));
  });

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

  test('shows characters that would reorder a command by their number', () => {
    const args = JSON.stringify({ command: 'echo \u202Eyas', timeout_s: null });
    const turned = item(1, 'tool_call', { call_id: 'x', name: 'run_command', args, stream_run_id: 's1' });
    expect(toolLine(callOf([prompt(0), turned])).subject).toBe(String.raw`echo \u202eyas`);
  });

  test('names an unknown tool, whatever its arguments are', () => {
    const odd = item(1, 'tool_call', { call_id: 'x', name: 'hum', args: 'not json', stream_run_id: 's1' });
    expect(toolLine(callOf([prompt(0), odd]))).toMatchObject({ verb: 'hum', subject: '', outcome: 'queued' });
    expect(prettyArguments('not json')).toBe('not json');
  });

  test('says how a command ended that did not succeed', () => {
    const error = { kind: 'exit_code', message: 'exit code 3' };
    const ended = item(2, 'tool_result', { call_id: 'call_1', ok: false, error, duration_ms: 5 });
    expect(toolLine(callOf([prompt(0), call(1), ended]))).toMatchObject({ outcome: 'exit 3', tone: 'red' });
  });

  test('says that the outcome is unknown', () => {
    const unknown = suspended(2, { reason: 'outcome_unknown' });
    expect(toolLine(callOf([prompt(0), call(1), unknown]))).toMatchObject({
      outcome: 'outcome unknown',
      tone: 'yellow',
    });
  });

  test('says that the call needs you until it is decided, and then what was decided', () => {
    const asked = [prompt(0), call(1), suspended(2)];
    expect(toolLine(callOf(asked))).toMatchObject({ outcome: 'needs you', tone: 'yellow' });
    expect(toolLine(callOf([...asked, decision(3)]))).toMatchObject({ outcome: 'approved', tone: 'quiet' });
    const denied = [...asked, decision(3, { action: 'cancel' }), moved(4, 'suspended', 'cancelled')];
    expect(toolLine(callOf(denied))).toMatchObject({ outcome: 'denied', tone: 'quiet' });
  });

  test('says quietly that a rule denied the call or a question was skipped', () => {
    const error = { kind: 'permission_denied', message: 'No.' };
    const refused = item(2, 'tool_result', { call_id: 'call_1', ok: false, error, duration_ms: 0 });
    expect(toolLine(callOf([prompt(0), call(1), refused]))).toMatchObject({
      outcome: 'denied',
      tone: 'quiet',
    });
    const question = [suspended(2, { reason: 'question' }), decision(3, { action: 'cancel' })];
    const skipped = callOf([prompt(0), call(1), ...question, moved(4, 'suspended', 'cancelled')]);
    expect(toolLine(skipped)).toMatchObject({ outcome: 'skipped', tone: 'quiet' });
  });

  test('does not say denied of a call that was approved and then stopped', () => {
    const approved = [prompt(0), call(1), suspended(2), decision(3), moved(4, 'suspended', 'resuming')];
    expect(toolLine(callOf([...approved, moved(5, 'resuming', 'cancelled')])).outcome).toBe('cancelled');
  });
});

describe('the verdicts on a call', () => {
  test('name the rule or the mode that decided', () => {
    expect(verdicts(permission(2, { decided_by: 'rule', rule: 'run_command(npm test*)' }))).toEqual([
      'Allowed by the rule run_command(npm test*)',
    ]);
    expect(verdicts(permission(2, { rule: 'mode:auto' }))).toEqual(['Allowed: mode auto']);
    expect(verdicts(permission(2, { decision: 'deny', rule: 'policy:protected_path' }))).toEqual([
      'Denied: protected path',
    ]);
  });

  test('tell the decision of a person once, with its reason', () => {
    const asked = [permission(2, { decision: 'ask', rule: 'mode:ask' }), suspended(3)];
    const denied = permission(5, { decision: 'deny', decided_by: 'user' });
    expect(verdicts(...asked, decision(4, { action: 'cancel', reason: 'Too slow' }), denied)).toEqual([
      'Asked: mode ask',
      'Denied by you: Too slow',
    ]);
    expect(verdicts(permission(2, { decided_by: 'user' }))).toEqual(['Allowed by you']);
  });

  test('tell the rule that a decision made', () => {
    expect(verdicts(suspended(2), decision(3, { rule: 'run_command(npm test*)' }))).toEqual([
      'Allowed by you, and from now on by the rule run_command(npm test*)',
    ]);
  });

  test('word a decision after what was asked', () => {
    const done = decision(3, { resume_mode: 'use_decision_as_result' });
    expect(verdicts(suspended(2, { reason: 'outcome_unknown' }), done)).toEqual(['Marked as done by you']);
    expect(verdicts(decision(2), suspended(3, { reason: 'question' }))).toEqual(['Answered by you']);
  });
});

describe('the phrase of a turn', () => {
  const started = Date.parse(TS);
  const facts = {
    turn: turnOf([prompt(0)]),
    told: null,
    waiting: [],
    state: 'running',
    stopping: false,
    now: started + 4000,
    newsAt: started + 3000,
  } as const;

  test('says what runs and since when', () => {
    expect(phraseOf(facts).phrase).toBe('Working: waiting for the model, 4 s');
  });

  test('does not miss news while a child waits for the person', async () => {
    const { children } = await handsOn([COMMAND], {}, { mode: 'ask' });
    const asking = childrenWaiting(crewWithLive(NO_CREW, children), []);
    expect(phraseOf({ ...facts, waiting: asking, now: started + 14_000 })).toEqual({
      phrase: 'Working: waiting for the model, 14 s',
      detail: 'needs you: 1 approval',
    });
  });

  test('says so when there is no news for ten seconds', () => {
    expect(phraseOf({ ...facts, now: started + 14_000 }).phrase).toBe(
      'Working: waiting for the model, 14 s. No news for 11 s',
    );
  });

  test('says how much waits for you, also while something else runs', () => {
    const turn = turnOf([
      prompt(0),
      call(1),
      suspended(2),
      call(3, 'call_2'),
      suspended(4, { reason: 'question' }, 'call_2'),
    ]);
    const waiting = waitingCalls(turn, {}, []);
    const words = 'eeds you: 1 approval, 1 question';
    expect(phraseOf({ ...facts, turn, waiting, state: 'waiting' }).phrase).toBe(`N${words}`);
    expect(phraseOf({ ...facts, turn, waiting }).detail).toBe(`n${words}`);
    const sent = waitingCalls(turn, {}, ['p_call_1', 'p_call_2']);
    expect(phraseOf({ ...facts, turn, waiting: sent, state: 'waiting' }).phrase).toBe(
      'All decided, goes on as soon as it can',
    );
  });

  test('counts calls that wait before the window', () => {
    const told = toldOfTurn('waiting', { pending: ['old'] });
    expect(phraseOf({ ...facts, told, state: 'waiting' }).phrase).toBe('Needs you: 1 further up');
  });

  test('says that it was interrupted, and why', () => {
    const turn = turnOf([prompt(0), failed(1, 'interrupted')]);
    expect(phraseOf({ ...facts, turn, state: 'interrupted' })).toEqual({
      phrase: 'Response interrupted',
      detail: 'The stream ended.',
    });
  });
});

test('short durations are exact', () => {
  expect([0, 120, 9900, 61_000].map(duration)).toEqual(['<0.1 s', '0.1 s', '9.9 s', '1 min 1 s']);
  expect([-5000, 400, 120_000].map(wholeSeconds)).toEqual(['0 s', '0 s', '2 min']);
});

test('a long duration is told in its two largest units', () => {
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  expect(
    [
      59.4 * minute,
      hour - 400,
      hour + 59_000,
      26 * hour,
      day + 5 * minute,
      321 * day + 20 * hour + 37 * minute,
    ].map(duration),
  ).toEqual(['59 min 24 s', '1 h', '1 h', '1 d 2 h', '1 d', '321 d 20 h']);
});

test('only messages of the protocol are taken', () => {
  expect([snapshot([]), delta('a')].map(isHostMessage)).toEqual([true, true]);
  const bad = [null, 'delta', {}, { type: 'delta' }, { type: 'constructor' }, { ...delta('a'), text: 1 }];
  expect(bad.map(isHostMessage)).toEqual(bad.map(() => false));
});

test('a thought says how long it took, where the log does', () => {
  expect([null, 300, 4200, 63_000].map(thoughtWords)).toEqual([
    'Thought',
    'Thought for 0.3 s',
    'Thought for 4 s',
    'Thought for 1 min 3 s',
  ]);
  const thinking = { turn_id: 't1', stream_run_id: 's', summary: 'Hm.', thought_ms: 4200 };
  expect(turnOf([prompt(0), item(1, 'reasoning', thinking)]).entries).toMatchObject([{ ms: 4200 }]);
});
