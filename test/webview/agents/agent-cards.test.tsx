import { describe, expect, test } from 'vitest';
import { AgentView } from '../../../webview/agents/agent-card.tsx';
import { AgentInTurn, type CrewProps } from '../../../webview/agents/agent-list.tsx';
import { sightOf } from '../../../webview/agents/shown-state.ts';
import type { Presenter } from '../../../webview/presenter.ts';
import { decisionsLocked, INITIAL, type State } from '../../../webview/state.ts';
import { apply } from '../../../webview/store.ts';
import { click, draw, elementsIn, SmallDocument, type SmallElement } from '../../support/small-dom.ts';
import { byClass, drawnMeanwhile, drawnTurn, named, QUIET, shown, texts } from './drawn-crew.tsx';
import { AgentBench } from '../../support/agent-bench.ts';
import { asks, later, NOTHING, report, says, spawn, wait } from '../../support/cast-provider.ts';
import { cutAfter, ofChild } from '../../support/changed-log.ts';
import { CUT, ENDED, handsOn, MINUTE, TASK } from '../../support/child-stories.ts';
import { readOnly, turnState } from '../log-items.ts';
import { COMMAND, itemsOf, news, opening, told, type ChildrenMessage } from './crew-items.ts';

function crewProps(state: State, presenter = QUIET): CrewProps {
  const { crew } = state;
  return { crew, sight: sightOf(state), sessionId: 's1', locked: decisionsLocked(state), presenter };
}

function card(state: State, presenter = QUIET): SmallElement {
  const { body } = draw(<AgentInTurn id="agent_1" {...crewProps(state, presenter)} />);
  const found = byClass(body, 'agent')[0];
  if (found === undefined) throw new Error('there is no card');
  return found;
}

/** As if it had just been said. */
function justNow(message: ChildrenMessage, ago = 0): ChildrenMessage {
  return told(message, { news_at: Date.now() - ago });
}

const open = await handsOn([NOTHING], { agent: 'explorer' });
const NAME = `explorer: ${TASK}`;

describe('the card of a child', () => {
  test('says who works at what, what it does, and how long it may', () => {
    const one = card(shown(open.items, justNow(open.children)));
    expect(one.attributes.get('role')).toBe('group');
    expect(one.attributes.get('aria-label')).toBe(`Agent ${NAME}`);
    expect(one.attributes.get('data-state')).toBe('running');
    expect(texts(one, 'agent-words')).toEqual(['Working: waiting for the model']);
    expect(texts(one, 'time')[0]).toMatch(/ of 10 min$/u);
    expect(byClass(one, 'time')[0]?.attributes.get('title')).toContain('Deadline 2026-01-01T00:10:00.000Z');
  });

  test('says so when there is no news, and which attempt it is', async () => {
    const { items, children } = await handsOn([CUT, NOTHING], { agent: 'explorer' });
    const one = card(shown(items, justNow(children, 25_000)));
    expect(texts(one, 'silence')).toEqual(['no news for 25 s']);
    expect(texts(one, 'parted')[0]).toContain('2nd attempt');
    expect(texts(card(shown(items, justNow(children))), 'silence')).toEqual([]);
  });

  test.each([
    ['queued', 'Queued', async () => cutAfter(open.events, ofChild('spawned'))],
    ['waiting', 'Needs you', async () => (await handsOn([COMMAND], {}, { mode: 'ask' })).events],
    [
      'completed',
      'Completed in 1 min 5 s',
      async () => (await (await handsOn([later(65_000, says('Seen.'))])).pass(65_000)).events,
    ],
    ['failed', 'Failed: The provider', async () => (await ENDED.failed()).events],
    ['timed_out', 'Timed out after 1 min', async () => (await ENDED.timed_out()).events],
    ['interrupted', 'Interrupted', async () => (await ENDED.interrupted()).events],
    [
      'cancelled',
      'Cancelled: The person stopped the turn that it worked for.',
      async () => (await ENDED.cancelled()).events,
    ],
    ['closed', 'Closed', async () => (await ENDED.closed()).events],
    ['detached', 'Detached', async () => (await ENDED.detached()).events],
  ] as const)('says how it stands: %s', async (state, words, story) => {
    const one = card(shown(itemsOf(await story())));
    expect(one.attributes.get('data-state')).toBe(state);
    const [said = ''] = texts(one, 'agent-words');
    expect(said.slice(0, words.length)).toBe(words);
    expect(byClass(one, 'agent-toggle')[0]?.attributes.get('aria-label')).toContain(said);
  });

  test('opens its transcript, and stops it while it is open', async () => {
    const posted: unknown[] = [];
    const presenter: Presenter = { ...QUIET, post: (message) => posted.push(message) };
    const one = card(shown(open.items), presenter);
    click(named(one, `Open transcript of ${NAME}`));
    click(named(one, `End ${NAME}`));
    expect(posted).toEqual([
      { type: 'run_action', command: 'ledgerline.openAgent', args: ['session_1'] },
      {
        type: 'run_action',
        command: 'ledgerline.stopAgent',
        args: [{ session_id: 's1', subagent_id: 'agent_1' }],
      },
    ]);
    const over = card(shown((await ENDED.completed()).items));
    expect(() => named(over, `End default: ${TASK}`)).toThrow();
  });

  test.each([
    ['completed', []],
    ['failed', ['Resume']],
    ['timed_out', ['Resume']],
    ['cancelled', ['Resume']],
    ['closed', []],
    ['detached', ['Resume', 'Discard']],
  ] as const)('offers what to do next where it did not complete: %s', async (status, buttons) => {
    expect(texts(card(shown((await ENDED[status]()).items)), 'button')).toEqual(buttons);
  });

  test('opens in place to the summary, as Markdown, and to all that it reported', async () => {
    const half = report('partial', 'Half.', {
      limitations: ['Not on Windows.'],
      verification: ['Ran it.'],
      artifacts: ['out/a.md'],
    });
    const bench = await handsOn([half, says('It is in **login.ts**.')]);
    const one = card(shown(bench.items));
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
      'out/a.mdno hash',
    ]);
  });

  test('shows what is known where its beginning is not', () => {
    const one = card(shown([], justNow(open.children)));
    expect(one.attributes.get('aria-label')).toBe('Agent agent');
    expect(texts(one, 'agent-words')).toEqual(['Working: waiting for the model']);
  });

  test('says nothing of work in a log that nobody writes', () => {
    const access = readOnly('damaged', 'It is damaged.');
    const state = apply(INITIAL, opening(open.items, { access }), 0);
    expect(texts(card(state), 'agent-words')).toEqual(['No evidence of an end']);
  });
});

/** So many children, the first of which are done at once, and another asks. */
async function many(count: number, done = 0, asking = -1): Promise<AgentBench> {
  const tasks = Array.from({ length: count }, (_, n) => `Task ${n}`);
  const lines = tasks.map((task, n) => [task, [n < done ? says('Done.') : n === asking ? COMMAND : NOTHING]]);
  const cast = {
    'Go.': [asks(...tasks.map((task, n) => spawn(`c${n}`, task))), asks(wait('all')), says('Done.')],
    ...Object.fromEntries(lines),
  };
  return new AgentBench(cast, { mode: 'ask', limits: { max_running: 64 } }).turn('Go.');
}

const TWELVE = await many(12, 8, 9);

describe('many children', () => {
  test('are one line each, under one that counts them', () => {
    const body = drawnTurn(shown(TWELVE.items, TWELVE.children));
    expect(texts(body, 'agent-list')[0]).toMatch(/^12 agents: 1 needs you, 3 working, 8 completed/u);
    expect(byClass(body, 'compact')).toHaveLength(12);
    expect(byClass(body, 'compact').flatMap((one) => byClass(one, 'spin'))).toEqual([]);
    const list = elementsIn(body).find(({ attributes }) => attributes.get('aria-label') === 'Agents');
    expect(list?.localName).toBe('ul');
  });

  test('are a list from the first one on, so that the lines of their calls do not come and go', () => {
    const first = TWELVE.events.findIndex(ofChild('spawned'));
    const calls = TWELVE.items.slice(0, first);
    expect(texts(drawnTurn(shown(calls)), 'call-head')).toHaveLength(12);
    const body = drawnTurn(shown([...calls, ...TWELVE.items.slice(first, first + 1)]));
    expect(texts(body, 'agent-list')[0]).toMatch(/^1 agent: 1 queued/u);
    expect(texts(body, 'call-head')).toEqual([]);
  });

  test('are folded to that line once their turn is over', async () => {
    const bench = await many(12, 12);
    const over = { ...turnState('completed'), turn_id: 'turn_1' } as ReturnType<typeof turnState>;
    expect(byClass(drawnTurn(apply(shown(bench.items), over, 1)), 'compact')).toEqual([]);
  });

  test.each([
    [12, 'of the log'],
    [12, 'of the moment'],
    [3, 'of the log'],
    [3, 'of the moment'],
  ] as const)('of %i are not drawn again because of another one: by a word %s', async (count, what) => {
    const bench = await many(count);
    const state = shown(bench.items, bench.children);
    const document = new SmallDocument();
    drawnTurn(state, QUIET, document);
    expect(byClass(document.body, 'agent')).toHaveLength(count);
    const [second] = bench.children.items.slice(1);
    if (second === undefined) throw new Error('there is no second');
    await bench.pass(MINUTE);
    const beat = news(itemsOf(bench.events.filter(ofChild('heartbeat', second.subagent_id))));
    const busy = told({ ...bench.children, items: [second] }, { activity: { text: 'Running', since: 1 } });
    const next = apply(state, what === 'of the log' ? beat : busy, 9);
    const drawn = drawnMeanwhile(AgentView, () => drawnTurn(next, QUIET, document));
    expect(drawn).toMatchObject([{ subagentId: second.subagent_id }]);
  });
});
