import { describe, expect, test } from 'vitest';
import { attention, knownAfterHiding, type Moment } from '../../src/host/attention.ts';
import { changedKeys, contextKeys } from '../../src/host/context-keys.ts';
import { journalLine } from '../../src/host/journal.ts';
import { lastTurnOf, rememberedTurn } from '../../src/host/last-turn.ts';
import { statusLook } from '../../src/host/status-item.ts';
import {
  canRedo,
  canUndo,
  NO_TURN_FACTS,
  type TurnFacts,
  turnFactsAfter,
} from '../../src/host/turn-facts.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { append, delta, prompt, snapshot, turnState as stateOf } from '../webview/log-items.ts';

function t(message: string, ...values: readonly (string | number)[]): string {
  return message.replaceAll(/\{(\d+)\}/g, (_, index: string) => String(values[Number(index)]));
}

function turnState(more: object): HostMessage {
  return { ...stateOf('running'), client_turn_id: null, ...more };
}

function waits(id: string, reason: string): object {
  return { call_id: `call-${id}`, name: 'run_command', suspension: { id, reason } };
}

function facts(...messages: readonly HostMessage[]): TurnFacts {
  return messages.reduce(turnFactsAfter, NO_TURN_FACTS);
}

const opened = snapshot([prompt(0, 'Fix the flaky test')]);
const running = facts(opened, turnState({ activity: { text: 'Running a tool', since: 1000 } }));
const waiting = facts(opened, turnState({ state: 'waiting', pending: [waits('s1', 'approval')] }));
const completed = facts(opened, turnState({ state: 'completed' }));

describe('facts', () => {
  test('are read off the messages that pass by', () => {
    expect(waiting).toMatchObject({
      title: 'Fix the flaky test',
      access: 'writer',
      has_log: true,
      state: 'waiting',
      pending: [{ suspension_id: 's1', asked: 'approval' }],
    });
  });

  test('stay the same object when a message says nothing about them', () => {
    expect(turnFactsAfter(running, delta('x'))).toBe(running);
  });

  test('of another session begin anew', () => {
    const other = turnFactsAfter(waiting, snapshot([], { session_id: 'two' }));
    expect([other.session_id, other.state, other.pending, other.title]).toEqual(['two', null, [], '']);
  });

  test('leave out what is decided already', () => {
    const decided = { ...waits('s1', 'approval'), decided: true };
    expect(facts(opened, turnState({ state: 'waiting', pending: [decided] })).pending).toEqual([]);
  });

  test('of an earlier turn, told again in answer to a repeated message, do not count', () => {
    const later = turnFactsAfter(running, append([{ ...prompt(5, 'Next'), turn_id: 'turn-2' }]));
    expect(turnFactsAfter(later, turnState({ state: 'completed' }))).toBe(later);
  });

  test('know that a person has decided', () => {
    const item = { ...prompt(1, ''), type: 'tool_call_decision', data: { decided_by: 'user' } };
    expect(turnFactsAfter(waiting, append([item])).has_decided).toBe(true);
  });
});

describe('context keys', () => {
  test('say what commands depend on', () => {
    expect(contextKeys(waiting)).toEqual({
      'ledgerline.state': 'waiting',
      'ledgerline.access': 'writer',
      'ledgerline.hasSession': true,
      'ledgerline.needsDecision': true,
      'ledgerline.hasDecided': false,
      'ledgerline.canUndo': false,
      'ledgerline.canRedo': false,
    });
    expect(contextKeys(NO_TURN_FACTS)['ledgerline.state']).toBe('none');
  });

  test('are set when they change, and all of them at first', () => {
    expect(changedKeys(running, waiting)).toEqual([
      ['ledgerline.state', 'waiting'],
      ['ledgerline.needsDecision', true],
    ]);
    expect(changedKeys(null, running).length).toBe(7);
  });

  test('offer no decision where another window writes', () => {
    const held = { ...waiting, access: 'read_only' as const };
    expect(contextKeys(held)['ledgerline.needsDecision']).toBe(false);
  });
});

function look(of: TurnFacts): ReturnType<typeof statusLook> {
  return statusLook(of, t, (at) => `time ${at}`);
}

describe('the status bar', () => {
  test('shows nothing before the first turn', () => {
    expect(look(NO_TURN_FACTS)).toBeNull();
  });

  test('says what runs, and since when', () => {
    expect(look(running)).toEqual({
      text: '$(loading~spin) Ledgerline: Working: running a tool',
      tooltip: 'Ledgerline: Working: running a tool\nFix the flaky test\nSince time 1000',
      label: 'Ledgerline: Working: running a tool, Fix the flaky test',
      warning: false,
      command: 'ledgerline.chat.focus',
    });
  });

  test('calls for the person in the colours of a warning, and leads to the decision', () => {
    const two = [waits('s1', 'approval'), waits('s2', 'approval'), waits('s3', 'workflow_held')];
    expect(look(facts(opened, turnState({ state: 'waiting', pending: two })))).toMatchObject({
      text: '$(bell-dot) Ledgerline: Needs you: 2 approvals, 1 question',
      warning: true,
      command: 'ledgerline.goToDecision',
    });
  });

  test('calls for the person also while something else still runs', () => {
    const both = facts(opened, turnState({ pending: [waits('s1', 'approval')] }));
    expect(look(both)?.warning).toBe(true);
  });

  test('has the icon of an unknown outcome where an approval waits beside it', () => {
    const two = [waits('s1', 'approval'), waits('s2', 'outcome_unknown')];
    expect(look(facts(opened, turnState({ state: 'waiting', pending: two })))?.text).toMatch(
      /^\$\(question\)/u,
    );
  });

  test('names an unknown outcome', () => {
    const unknown = facts(opened, turnState({ state: 'waiting', pending: [waits('s1', 'outcome_unknown')] }));
    expect(look(unknown)?.text).toBe('$(question) Ledgerline: Needs you: 1 unknown outcome');
  });

  test.each([
    ['completed', '$(pass) Ledgerline: Completed'],
    ['partial_failed', '$(warning) Ledgerline: Stopped early: partial answer'],
    ['failed', '$(error) Ledgerline: Failed: the log does not say why'],
    ['interrupted', '$(debug-stop) Ledgerline: Response interrupted'],
    ['timed_out', '$(watch) Ledgerline: Timed out'],
  ])('shows %s as itself', (state, text) => {
    expect(look(facts(opened, turnState({ state })))).toMatchObject({ text, warning: false });
  });
});

describe('the status bar of a turn that did not complete', () => {
  const message = 'The provider did not accept the API key. Set a valid key.';

  test('says why in short, and all of it when one points at it', () => {
    expect(look(facts(opened, turnState({ state: 'failed', message })))).toMatchObject({
      text: '$(error) Ledgerline: Failed: The provider did not accept the API key',
      tooltip: `Ledgerline: Failed: The provider did not accept the API key\n${message}\nFix the flaky test\nAt time ${Date.parse(prompt(0, '').ts)}`,
    });
  });

  test('cuts a long reason, so that the bar keeps room for others', () => {
    const long = `The endpoint said ${'very '.repeat(40)}much.`;
    const text = look(facts(opened, turnState({ state: 'failed', message: long })))?.text ?? '';
    expect(text).toMatch(/^\$\(error\) Ledgerline: Failed: The endpoint said very .*…$/u);
    expect(text.length).toBeLessThan(95);
  });

  test('says after what time it gave up', () => {
    const item = { ...prompt(1, ''), type: 'turn_failed', data: { timeout_ms: 600_000 } };
    const timedOut = facts(opened, append([item]), turnState({ state: 'timed_out', message: 'Too late.' }));
    expect(look(timedOut)).toMatchObject({ text: '$(watch) Ledgerline: Timed out after 10 min' });
    const next = turnFactsAfter(timedOut, append([prompt(2, 'Again')]));
    expect(next.timeout_ms).toBeNull();
  });
});

function ended(changes: readonly object[]): TurnFacts {
  return facts(opened, turnState({ state: 'completed', evidence: { changes } }));
}

describe('undo', () => {
  const change = {
    call_id: 'c1',
    path: 'a.ts',
    before_sha256: 'x',
    after_sha256: 'y',
    before_blob: 'x',
    added: 1,
    removed: 1,
    undo_of: [],
    redo_of: [],
  };
  test('is offered as long as a change of the last turn stands, to the window that writes', () => {
    const back = { ...change, call_id: 'u1', undo_of: ['c1'] };
    expect([ended([]), ended([change]), ended([change, back])].map(canUndo)).toEqual([false, true, false]);
    expect(canUndo({ ...ended([change]), access: 'read_only' })).toBe(false);
    const again = { ...change, call_id: 'r1', redo_of: ['c1'] };
    const stories = [ended([change]), ended([change, back]), ended([change, back, again])];
    expect(stories.map(canRedo)).toEqual([false, true, false]);
    expect(canUndo(turnFactsAfter(ended([change]), turnState({})))).toBe(false);
  });
});

describe('a notification', () => {
  const moment: Moment = {
    before: running,
    now: waiting,
    visible: false,
    known: [],
    setting: 'decisions',
  };

  test('calls when something waits and the view is hidden', () => {
    expect(attention(moment, t)).toEqual({
      call: {
        level: 'warning',
        message: 'Ledgerline needs you: 1 approval.',
        command: 'ledgerline.goToDecision',
      },
      known: ['s1'],
      called: ['s1'],
    });
  });

  test('is never repeated for the same suspension', () => {
    expect(attention({ ...moment, known: ['s1'] }, t)).toEqual({ call: null, known: ['s1'], called: [] });
  });

  test('does not come later for what was in view', () => {
    const seen = attention({ ...moment, visible: true }, t);
    expect(seen).toEqual({ call: null, known: ['s1'], called: [] });
    expect(attention({ ...moment, known: seen.known }, t).call).toBeNull();
  });

  test('comes when the view is hidden before anyone can have read what came into it', () => {
    const glance = { ids: ['s1'], at: 10_000 };
    expect(knownAfterHiding(['s0', 's1'], glance, 11_999)).toEqual(['s0']);
    expect(knownAfterHiding(['s0', 's1'], glance, 12_000)).toEqual(['s0', 's1']);
    expect(knownAfterHiding(['s0', 's1'], null, 10_000)).toEqual(['s0', 's1']);
  });

  test('does not come where it is switched off, or where the decision is another window’s', () => {
    expect(attention({ ...moment, setting: 'off' }, t).call).toBeNull();
    const now = { ...waiting, access: 'read_only' as const };
    expect(attention({ ...moment, now }, t)).toEqual({ call: null, known: [], called: [] });
  });

  test('tells of the end of a long turn only where that is asked for', () => {
    const long = { began_at: 0, last_at: 45_000 };
    const ended = { ...moment, before: { ...running, ...long }, now: { ...completed, ...long } };
    expect(attention(ended, t).call).toBeNull();
    expect(attention({ ...ended, setting: 'all' }, t).call).toEqual({
      level: 'info',
      message: 'Ledgerline: Completed, after 45 s.',
      command: 'ledgerline.chat.focus',
    });
    const short = { ...ended, setting: 'all' as const, now: { ...ended.now, last_at: 5_000 } };
    expect(attention(short, t).call).toBeNull();
  });

  test('does not tell of a turn that ended before the session was opened', () => {
    const now = { ...completed, began_at: 0, last_at: 45_000 };
    expect(attention({ ...moment, before: NO_TURN_FACTS, now, setting: 'all' }, t).call).toBeNull();
  });
});

describe('the output channel', () => {
  test('has ids, states and kinds, and no words of anyone', () => {
    const messages: readonly HostMessage[] = [
      snapshot([prompt(0, 'SECRET prompt')], { title: 'SECRET title' }),
      append([prompt(1, 'SECRET more')]),
      turnState({ activity: { text: 'SECRET activity', since: 1 } }),
      turnState({ state: 'failed', reason: 'rate_limited', message: 'SECRET message' }),
      {
        v: 1,
        type: 'failure',
        for: 'send',
        kind: 'missing_key',
        message: 'SECRET reason',
        next_actions: [],
      },
    ];
    let before = NO_TURN_FACTS;
    const lines = messages.flatMap((message) => {
      const now = turnFactsAfter(before, message);
      const line = journalLine(before, now, message);
      before = now;
      return line === null ? [] : [`${line.level} ${line.text}`];
    });
    expect(lines).toEqual([
      'info session one: writer',
      'info turn t1: running',
      'info turn t1: failed (rate_limited)',
      'warn send failed: missing_key',
    ]);
  });
});

test('a window remembers only whether something was left unfinished', () => {
  expect(rememberedTurn(lastTurnOf(waiting))).toEqual({ has_log: true, unfinished: true });
  expect(rememberedTurn(lastTurnOf(completed))).toEqual({ has_log: true, unfinished: false });
  for (const odd of [undefined, null, 'x', {}, { has_log: true }]) expect(rememberedTurn(odd)).toBeNull();
});
