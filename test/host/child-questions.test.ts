import { describe, expect, test } from 'vitest';
import { attention } from '../../src/host/attention.ts';
import { contextKeys } from '../../src/host/context-keys.ts';
import { neededInAll, needsAfter, NOTHING_NEEDED, type NeedsPerson } from '../../src/host/needs-person.ts';
import { statusLook } from '../../src/host/status-item.ts';
import { NO_TURN_FACTS, turnFactsAfter, type TurnFacts } from '../../src/host/turn-facts.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { AgentBench } from '../support/agent-bench.ts';
import { asks, NOTHING, spawn, wait } from '../support/cast-provider.ts';
import { opening } from '../webview/agents/crew-items.ts';

function t(message: string, ...values: readonly (string | number)[]): string {
  return message.replaceAll(/\{(\d+)\}/g, (_, index: string) => String(values[Number(index)]));
}

const OWN = { call_id: 'call_1', name: 'run_command', suspension: { id: 'own', reason: 'approval' } };

const RUNNING: HostMessage = {
  v: 1,
  type: 'turn_state',
  turn_id: 'turn_1',
  client_turn_id: null,
  state: 'running',
  reason: null,
  next_actions: [],
  pending: [OWN],
};

/** Three children: one asks for an approval, one asks a question, one just works. */
const bench = await new AgentBench(
  {
    'Go.': [asks(spawn('c1', 'Test it.'), spawn('c2', 'Choose.'), spawn('c3', 'Look.')), asks(wait('c4'))],
    'Test it.': [asks(['ask', 'run_command', { command: 'npm test' }]), NOTHING],
    'Choose.': [asks(['ask', 'ask_user', { question: 'Which branch?' }])],
    'Look.': [NOTHING],
  },
  { mode: 'ask' },
).turn('Go.');
const OPENED = opening(bench.items);
const ASKED = bench.children;
const [P1 = '', Q1 = ''] = ASKED.items.flatMap(({ questions }) =>
  questions.map(({ suspension }) => (suspension as { readonly id: string }).id),
);
await bench.decide(P1, 'cancel');
const GONE_ON = { ...ASKED, items: bench.children.items.slice(0, 1) };

function facts(...messages: readonly HostMessage[]): TurnFacts {
  return messages.reduce(turnFactsAfter, NO_TURN_FACTS);
}

function needs(...messages: readonly HostMessage[]): NeedsPerson {
  return messages.reduce(needsAfter, NOTHING_NEEDED);
}

describe('what children ask', () => {
  test('counts with what the turn asks, whichever is told first', () => {
    const all = ['own', P1, Q1];
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
      [P1, Q1],
    ]);
    expect(attention({ ...moment, known: first.known }, t).call).toBeNull();
  });

  test('is over when the child says so, one by one', () => {
    expect(facts(OPENED, ASKED, GONE_ON).pending.map(({ suspension_id }) => suspension_id)).toEqual([Q1]);
    expect(neededInAll(needs(OPENED, ASKED, GONE_ON))).toBe(1);
  });

  test('is told anew after a snapshot', () => {
    expect(facts(OPENED, ASKED, OPENED).pending).toEqual([]);
    expect(neededInAll(needs(OPENED, ASKED, OPENED))).toBe(0);
  });

  test('says nothing where nobody asks', () => {
    const before = facts(OPENED, RUNNING);
    const quiet = GONE_ON;
    expect(turnFactsAfter(before, quiet)).toBe(before);
    expect(turnFactsAfter(before, { ...ASKED, session_id: 'two' })).toBe(before);
    const counted = needs(OPENED, RUNNING);
    expect(needsAfter(counted, quiet)).toBe(counted);
  });
});
