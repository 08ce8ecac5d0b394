import { describe, expect, test } from 'vitest';
import { attention } from '../../src/host/attention.ts';
import { contextKeys } from '../../src/host/context-keys.ts';
import { neededInAll, needsAfter, NOTHING_NEEDED, type NeedsPerson } from '../../src/host/needs-person.ts';
import { statusLook } from '../../src/host/status-item.ts';
import { NO_TURN_FACTS, turnFactsAfter, type TurnFacts } from '../../src/host/turn-facts.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { asks, children } from '../webview/agents/crew-items.ts';
import { prompt, snapshot } from '../webview/log-items.ts';

function t(message: string, ...values: readonly (string | number)[]): string {
  return message.replaceAll(/\{(\d+)\}/g, (_, index: string) => String(values[Number(index)]));
}

const OWN = { call_id: 'call_1', name: 'run_command', suspension: { id: 's1', reason: 'approval' } };

const RUNNING: HostMessage = {
  v: 1,
  type: 'turn_state',
  turn_id: 't1',
  client_turn_id: null,
  state: 'running',
  reason: null,
  next_actions: [],
  pending: [OWN],
};

const OPENED = snapshot([prompt(0)]);
const ASKED = children(
  { subagent_id: 'a1', questions: [asks('p1')] },
  { subagent_id: 'a2', questions: [asks('q1', { suspension: { id: 'q1', reason: 'question' } })] },
  { subagent_id: 'a3' },
);

function facts(...messages: readonly HostMessage[]): TurnFacts {
  return messages.reduce(turnFactsAfter, NO_TURN_FACTS);
}

function needs(...messages: readonly HostMessage[]): NeedsPerson {
  return messages.reduce(needsAfter, NOTHING_NEEDED);
}

describe('what children ask', () => {
  test('counts with what the turn asks, whichever is told first', () => {
    const all = ['s1', 'p1', 'q1'];
    expect(facts(OPENED, RUNNING, ASKED).pending.map(({ suspension_id }) => suspension_id)).toEqual(all);
    expect(facts(OPENED, ASKED, RUNNING).pending.map(({ suspension_id }) => suspension_id)).toEqual(all);
    const counted = { approvals: 2, questions: 1, unknown_outcomes: 0 };
    expect(needs(OPENED, RUNNING, ASKED)).toMatchObject(counted);
    expect(needs(OPENED, ASKED, RUNNING)).toMatchObject(counted);
  });

  test('is in the status bar, and has the key that leads there, while the turn works', () => {
    const now = facts(OPENED, { ...RUNNING, pending: [] }, ASKED);
    expect(statusLook(now, t, String)).toMatchObject({
      text: '$(bell-dot) Ledgerline: Needs you: 1 approval, 1 question',
      warning: true,
    });
    expect(contextKeys(now)['ledgerline.needsDecision']).toBe(true);
  });

  test('calls the person once for each', () => {
    const before = facts(OPENED, { ...RUNNING, pending: [] });
    const now = turnFactsAfter(before, ASKED);
    const moment = { before, now, visible: false, known: [], setting: 'decisions' as const };
    const first = attention(moment, t);
    expect([first.call?.message, first.called]).toEqual([
      'Ledgerline needs you: 1 approval, 1 question.',
      ['p1', 'q1'],
    ]);
    expect(attention({ ...moment, known: first.known }, t).call).toBeNull();
  });

  test('is over when the child says so, one by one', () => {
    const settled = children({ subagent_id: 'a1' });
    expect(facts(OPENED, ASKED, settled).pending.map(({ suspension_id }) => suspension_id)).toEqual(['q1']);
    expect(neededInAll(needs(OPENED, ASKED, settled))).toBe(1);
  });

  test('is told anew after a snapshot', () => {
    expect(facts(OPENED, ASKED, OPENED).pending).toEqual([]);
    expect(neededInAll(needs(OPENED, ASKED, OPENED))).toBe(0);
  });

  test('says nothing where nobody asks', () => {
    const before = facts(OPENED, RUNNING);
    const quiet = children({ subagent_id: 'a1', activity: { text: 'Reading', since: 0 } });
    expect(turnFactsAfter(before, quiet)).toBe(before);
    expect(turnFactsAfter(before, { ...ASKED, session_id: 'two' })).toBe(before);
    const counted = needs(OPENED, RUNNING);
    expect(needsAfter(counted, quiet)).toBe(counted);
  });
});
