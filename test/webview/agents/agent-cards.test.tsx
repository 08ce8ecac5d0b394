import { describe, expect, test } from 'vitest';
import { AgentView } from '../../../webview/agents/agent-card.tsx';
import { AgentInTurn, type CrewProps } from '../../../webview/agents/agent-list.tsx';
import { sightOf } from '../../../webview/agents/shown-state.ts';
import type { Presenter } from '../../../webview/presenter.ts';
import { decisionsLocked, INITIAL, type State } from '../../../webview/state.ts';
import { apply } from '../../../webview/store.ts';
import { click, draw, elementsIn, SmallDocument, type SmallElement } from '../../support/small-dom.ts';
import { byClass, drawnMeanwhile, drawnTurn, named, QUIET, shown, texts } from './drawn-crew.tsx';
import { append, item, prompt, snapshot, turnState } from '../log-items.ts';
import { asks, begun, child, children, ended, spawnCall } from './crew-items.ts';

function crewProps(state: State, presenter = QUIET): CrewProps {
  const { crew } = state;
  return { crew, sight: sightOf(state), sessionId: 'one', locked: decisionsLocked(state), presenter };
}

function card(state: State, presenter = QUIET): SmallElement {
  const { body } = draw(<AgentInTurn id="a1" {...crewProps(state, presenter)} />);
  const found = byClass(body, 'agent')[0];
  if (found === undefined) throw new Error('there is no card');
  return found;
}

const BUSY = { activity: { text: 'Running a tool', since: 0 }, news_at: Date.now() };

describe('the card of a child', () => {
  test('says who works at what, what it does, and how long it may', () => {
    const one = card(shown(begun(1), children({ subagent_id: 'a1', ...BUSY })));
    expect(one.attributes.get('role')).toBe('group');
    expect(one.attributes.get('aria-label')).toBe('Agent explorer: Find the clock');
    expect(one.attributes.get('data-state')).toBe('running');
    expect(texts(one, 'agent-words')).toEqual(['Working: running a tool']);
    expect(texts(one, 'time')[0]).toMatch(/ of 10 min$/u);
    expect(byClass(one, 'time')[0]?.attributes.get('title')).toContain('Deadline 2026-01-02T03:14:03.000Z');
  });

  test('says so when there is no news, and which attempt it is', () => {
    const retry_history = [
      { attempt: 1, child_session_id: 'x', error_kind: 'e', reason: 'HTTP 500', elapsed_ms: 1 },
    ];
    const items = [...begun(1), child(5, 'retried', 'running', { retry_history })];
    const silent = { ...BUSY, news_at: Date.now() - 25_000 };
    const one = card(shown(items, children({ subagent_id: 'a1', ...silent })));
    expect(texts(one, 'silence')).toEqual(['no news for 25 s']);
    expect(texts(one, 'parted')[0]).toContain('2nd attempt');
    expect(texts(card(shown(items, children({ subagent_id: 'a1', ...BUSY }))), 'silence')).toEqual([]);
  });

  test.each([
    [begun(1).slice(0, 2), 'queued', 'Queued'],
    [[...begun(1), child(5, 'waiting', 'running')], 'waiting', 'Needs you'],
    [[...begun(1), ended(9, 'completed')], 'completed', 'Completed in 1 min 5 s'],
    [[...begun(1), ended(9, 'failed', { reason: 'It broke.' })], 'failed', 'Failed: It broke.'],
    [[...begun(1), ended(9, 'failed', { reason: 'tls: No.' })], 'failed', 'Failed: No.'],
    [[...begun(1), ended(9, 'timed_out')], 'timed_out', 'Timed out after 10 min'],
    [[...begun(1), ended(9, 'interrupted')], 'interrupted', 'Interrupted'],
    [[...begun(1), ended(9, 'cancelled', { reason: 'You did.' })], 'cancelled', 'Cancelled: You did.'],
    [[...begun(1), ended(9, 'closed')], 'closed', 'Closed'],
    [[...begun(1), child(9, 'detached', 'detached')], 'detached', 'Detached'],
  ])('says how it stands: %#', (items, state, words) => {
    const one = card(shown(items));
    expect(one.attributes.get('data-state')).toBe(state);
    expect(texts(one, 'agent-words')).toEqual([words]);
    expect(byClass(one, 'agent-toggle')[0]?.attributes.get('aria-label')).toContain(words);
  });

  test('opens its transcript, and stops it while it is open', () => {
    const posted: unknown[] = [];
    const presenter: Presenter = { ...QUIET, post: (message) => posted.push(message) };
    const one = card(shown(begun(1)), presenter);
    click(named(one, 'Open transcript of explorer: Find the clock'));
    click(named(one, 'End explorer: Find the clock'));
    expect(posted).toEqual([
      { type: 'run_action', command: 'ledgerline.openAgent', args: ['child_1'] },
      {
        type: 'run_action',
        command: 'ledgerline.stopAgent',
        args: [{ session_id: 'one', subagent_id: 'a1' }],
      },
    ]);
    const over = card(shown([...begun(1), ended(9, 'completed')]));
    expect(() => named(over, 'End explorer: Find the clock')).toThrow();
  });

  test('offers what to do next where it did not complete', () => {
    const next_actions = [
      { label: 'Open transcript', command: 'ledgerline.openAgent', args: ['child_1'] },
      {
        label: 'Resume',
        command: 'ledgerline.resumeAgent',
        args: [{ session_id: 'one', subagent_id: 'a1' }],
      },
    ];
    const buttons = (status: string): readonly string[] =>
      texts(card(shown([...begun(1), ended(9, status, { next_actions })])), 'button');
    expect(buttons('detached')).toEqual(['Resume']);
    expect(buttons('completed')).toEqual([]);
  });

  test('opens in place to the summary, as Markdown, and to all that it reported', async () => {
    const checkpoint = {
      status: 'partial',
      limitations: ['Not on Windows.'],
      verification: ['Ran it.'],
      artifacts: [{ path: 'out/a.md', sha256: 'c0ffee0011223344' }],
    };
    const one = card(shown([...begun(1), ended(9, 'completed', { checkpoint })]));
    expect(texts(one, 'agent-body')).toEqual([]);
    const toggle = byClass(one, 'agent-toggle')[0];
    if (toggle !== undefined) click(toggle);
    await expect.poll(() => texts(one, 'agent-body').length).toBe(1);
    const words = elementsIn(one).filter(({ localName }) =>
      ['h3', 'strong', 'li', 'code'].includes(localName),
    );
    expect(words.map(({ textContent }) => textContent)).toEqual([
      'Task',
      'Summary',
      'login.ts',
      'Limitations',
      'Not on Windows.',
      'Verification',
      'Ran it.',
      'Artifacts',
      'out/a.mdc0ffee00',
      'c0ffee00',
    ]);
  });

  test('shows what is known where its beginning is not', () => {
    const one = card(shown([], children({ subagent_id: 'a1', ...BUSY })));
    expect(one.attributes.get('aria-label')).toBe('Agent agent');
    expect(texts(one, 'agent-words')).toEqual(['Working: running a tool']);
  });

  test('says nothing of work in a log that nobody writes', () => {
    const damaged = {
      kind: 'read_only',
      reason: 'damaged',
      message: 'It is damaged.',
      next_actions: [],
    } as const;
    const items = [prompt(0), ...begun(1)];
    const state = apply(INITIAL, snapshot(items, { access: { ...damaged, next_actions: [] } }), 0);
    expect(texts(card(state), 'agent-words')).toEqual(['No evidence of an end']);
  });
});

describe('many children', () => {
  const ids = Array.from({ length: 12 }, (_, index) => `m${index}`);
  const many = ids.flatMap((id, index) => begun(1 + index * 3, { subagent_id: id, task: `Task ${id}` }));
  const done = ids.slice(0, 8).map((id, index) => ended(100 + index, 'completed', { subagent_id: id }));

  test('are one line each, under one that counts them', () => {
    const live = children({ subagent_id: 'm9', questions: [asks('p1')] });
    const body = drawnTurn(shown([...many, ...done], live));
    expect(texts(body, 'agent-list')[0]).toMatch(/^12 agents: 1 needs you, 3 working, 8 completed/u);
    expect(byClass(body, 'compact')).toHaveLength(12);
    const list = elementsIn(body).find(({ attributes }) => attributes.get('aria-label') === 'Agents');
    expect(list?.localName).toBe('ul');
  });

  test('are a list from the first one on, so that the lines of their calls do not come and go', () => {
    const calls = ids.map((id, index) => spawnCall(1 + index, id));
    const first = child(30, 'spawned', 'queued', { subagent_id: 'm0', call_id: 'call_m0', task: 'Task m0' });
    const denied = item(31, 'tool_result', {
      call_id: 'call_m1',
      ok: false,
      error: { kind: 'denied', message: 'No.' },
      duration_ms: 1,
    });
    expect(texts(drawnTurn(shown([...calls])), 'call-head')).toHaveLength(12);
    const body = drawnTurn(shown([...calls, first, denied]));
    expect(texts(body, 'agent-list')[0]).toMatch(/^1 agent: 1 queued/u);
    expect(texts(body, 'call-head')).toHaveLength(1);
  });

  test('are folded to that line once their turn is over', () => {
    const state = apply(shown([...many, ...done]), turnState('completed'), 1);
    expect(byClass(drawnTurn(state), 'compact')).toEqual([]);
  });

  test.each([
    ['of the log', append([child(500, 'heartbeat', 'running', { subagent_id: 'm9' })])],
    ['of the moment', children({ subagent_id: 'm9', ...BUSY })],
  ])('are not drawn again because of another one: by a word %s', (_, message) => {
    const document = new SmallDocument();
    const state = shown(many, turnState('running'));
    drawnTurn(state, QUIET, document);
    const next = apply(state, message, 9);
    const drawn = drawnMeanwhile(AgentView, () => drawnTurn(next, QUIET, document));
    expect(drawn).toMatchObject([{ subagentId: 'm9' }]);
  });

  test('that are few have a card each, of which the others are not drawn again', () => {
    const few = ids.slice(0, 3).flatMap((id, index) => begun(1 + index * 3, { subagent_id: id }));
    const document = new SmallDocument();
    const state = shown(few, turnState('running'));
    drawnTurn(state, QUIET, document);
    expect(byClass(document.body, 'agent')).toHaveLength(3);
    const next = apply(state, children({ subagent_id: 'm1', ...BUSY }), 9);
    const drawn = drawnMeanwhile(AgentView, () => drawnTurn(next, QUIET, document));
    expect(drawn).toMatchObject([{ subagentId: 'm1' }]);
  });
});
