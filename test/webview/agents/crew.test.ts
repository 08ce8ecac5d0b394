import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/presenter/protocol.ts';
import { strays } from '../../../webview/agents/strays.ts';
import { INITIAL, lastTurn, type State } from '../../../webview/state.ts';
import { apply } from '../../../webview/store.ts';
import { foldItems } from '../../../webview/transcript.ts';
import { AgentBench } from '../../support/agent-bench.ts';
import { asks, later, NOTHING, says, spawn, wait } from '../../support/cast-provider.ts';
import { cutAfter, isEnd, lacking, moved, ofChild, placeOf, without } from '../../support/changed-log.ts';
import { ENDED, handsOn, leavesAlone, MINUTE, TASK } from '../../support/child-stories.ts';
import { runsFlow } from '../../support/flow-stories.ts';
import { turnOf } from '../log-items.ts';
import { COMMAND, itemsOf, news, opening, told } from './crew-items.ts';

function opened(items: readonly Item[]): State {
  return apply(INITIAL, opening(items), 0);
}

function places(items: readonly Item[]): readonly string[] {
  return turnOf(items).entries.flatMap((entry) =>
    entry.kind === 'agent'
      ? [entry.subagent_id]
      : entry.kind === 'workflow'
        ? [entry.workflow_id]
        : entry.kind === 'call'
          ? [entry.call_id]
          : [],
  );
}

/** How many entries each turn has. */
function entriesOf(items: readonly Item[]): readonly (number | null)[] {
  return foldItems(items).map((block) => (block.kind === 'turn' ? block.entries.length : null));
}

const open = await handsOn([NOTHING], { agent: 'explorer' });

describe('the card of a child', () => {
  test('stands after the call that asked for it, whenever that is told', async () => {
    const parent = [asks(spawn('c1', TASK), spawn('c2', 'Look there.')), NOTHING];
    const bench = new AgentBench({ 'Go.': parent, [TASK]: [NOTHING], 'Look there.': [NOTHING] });
    const { events } = await bench.turn('Go.');
    expect(places(itemsOf(events))).toEqual(['c1', 'agent_1', 'c2', 'agent_2']);
    const late = moved(
      without(events, ofChild('started')),
      ofChild('spawned'),
      ofChild('spawned', 'agent_2'),
    );
    expect(places(itemsOf(late))).toEqual(['c1', 'agent_1', 'c2', 'agent_2']);
  });

  test('stands there once, however much is told of it', async () => {
    const bench = await handsOn([later(MINUTE, says('Seen.'))]);
    await bench.pass(MINUTE);
    expect(bench.events.filter(ofChild('heartbeat'))).toHaveLength(1);
    expect(places(bench.items)).toEqual(['c1', 'agent_1', 'c2']);
  });

  test('does not come again where the parent was told of its end, but where it got more to do', async () => {
    const lines = [later(1000, says('Seen.')), NOTHING];
    const more = asks(['c2', 'send_input', { id: 'agent_1', text: 'More.' }]);
    const bench = await leavesAlone(lines, NOTHING, says('I see.'), more, NOTHING);
    await bench.pass(1000);
    await bench.stop();
    await bench.turn('On.');
    expect(bench.events.filter(ofChild('delivered'))).toHaveLength(1);
    expect(entriesOf(bench.items)).toEqual([2, 1]);
    await bench.turn('And on.');
    expect(entriesOf(bench.items)).toEqual([2, 1, 2]);
  });

  test('of a step is in the card of its workflow', async () => {
    const { items } = await runsFlow({ steps: { build: { says: [NOTHING] } } });
    expect(places(items)).toEqual(['flow', 'wf_flow']);
  });

  test('makes no turn of an earlier one whose end comes late', async () => {
    const bench = await leavesAlone([NOTHING], NOTHING, NOTHING);
    await bench.turn('Something else.');
    const late = moved(
      bench.events,
      isEnd,
      ({ type, data }) => type === 'user_message' && data.text !== 'Go.',
    );
    const shown = itemsOf(late.slice(placeOf(late, isEnd) - 1));
    expect(foldItems(shown).map((block) => (block.kind === 'turn' ? block.turn_id : null))).toEqual([
      'turn_2',
    ]);
  });

  test('stands by itself where no turn gave it its work, and where its turn is before what is shown', async () => {
    const resumed = await handsOn([NOTHING, NOTHING]);
    await resumed.stop();
    await resumed.person((desk) => desk.resume('agent_1'));
    const given = resumed.events.slice(placeOf(resumed.events, ofChild('continued')));
    expect(foldItems(itemsOf(given)).map(({ kind }) => kind)).toEqual(['agent']);
    const started = open.events.filter(ofChild('started'));
    expect(foldItems(itemsOf(started))).toMatchObject([
      { kind: 'turn', prompt: null, entries: [{ kind: 'agent' }] },
    ]);
  });
});

/** Counts how often the data of an item is read. */
function watched(all: readonly Item[], seen: () => void): readonly Item[] {
  return all.map((one) => ({
    ...one,
    data: new Proxy(one.data, {
      get: (target, key, receiver) => {
        seen();
        return Reflect.get(target, key, receiver);
      },
    }),
  }));
}

describe('what is told of many children', async () => {
  const tasks = Array.from({ length: 64 }, (_, index) => `Look at ${index}.`);
  const bench = new AgentBench(
    {
      'Go.': [asks(...tasks.map((task, n) => spawn(`c${n}`, task))), asks(wait('all'))],
      ...Object.fromEntries(tasks.map((task) => [task, [NOTHING]])),
    },
    { limits: { max_running: 64 } },
  );
  await bench.turn('Go.');
  const { items, children } = bench;
  const many = children.items.map(({ subagent_id }) => subagent_id);
  await bench.pass(MINUTE);
  const beat = itemsOf(bench.events.filter(ofChild('heartbeat', 'agent_7')));

  test('costs what is new, and nothing for what was told before', () => {
    expect(many).toHaveLength(64);
    let reads = 0;
    const before = opened(watched(items, () => (reads += 1)));
    reads = 0;
    const after = apply(before, news(beat), 1);
    expect(reads).toBe(0);
    const changed = many.filter((id) => after.crew.children.get(id) !== before.crew.children.get(id));
    expect(changed).toEqual(['agent_7']);
    expect(after.blocks).toBe(before.blocks);
    expect(after.crew.workflows).toEqual(before.crew.workflows);
  });

  test('by the host changes those only that it names', () => {
    const before = apply(opened(items), children, 1);
    const ninth = { ...children, items: children.items.slice(8, 9) };
    const after = apply(before, told(ninth, { activity: { text: 'Running', since: 1 } }), 2);
    const changed = many.filter((id) => after.crew.live.get(id) !== before.crew.live.get(id));
    expect(changed).toEqual(['agent_9']);
    expect(after.crew.children).toBe(before.crew.children);
  });
});

describe('the crew of a session', () => {
  test('is whole after a reload from what is told then', async () => {
    const { items, children } = await handsOn([COMMAND], {}, { mode: 'ask' });
    const state = apply(opened(items), children, 5);
    expect(state.crew.live.get('agent_1')?.questions).toHaveLength(1);
    const again = apply(apply(state, opening(items), 6), children, 7);
    expect(again.crew).toEqual(state.crew);
    expect(apply(INITIAL, opening(items), 6).crew.children).toEqual(state.crew.children);
  });

  test('forgets what was of the moment with a snapshot, and all of it with another session', () => {
    const state = apply(opened(open.items), open.children, 5);
    expect(apply(state, opening(state.items), 6).crew.live.size).toBe(0);
    expect(apply(state, opening([], { session_id: 'two' }), 6).crew.children.size).toBe(0);
  });

  test('does not listen to what is said of another session', () => {
    const state = opened(open.items);
    expect(apply(state, { ...open.children, session_id: 'two' }, 5)).toBe(state);
  });

  test('learns what comes before from what is loaded of it', () => {
    const at = placeOf(open.events, ofChild('started'));
    const bare = itemsOf(lacking(open.events, ofChild('started'), 'agent'));
    const state = opened(bare.slice(at));
    expect(state.crew.children.get('agent_1')?.task).toBeNull();
    const more = apply(
      state,
      {
        v: 1,
        type: 'prepend',
        session_id: 's1',
        items: bare.slice(0, at),
        has_more: false,
        before: at,
      },
      5,
    );
    expect(more.crew.children.get('agent_1')).toMatchObject({ task: TASK, agent: 'explorer' });
  });

  test('is news: while children work there is no silence', () => {
    expect(apply(opened(open.items), open.children, 77).news_at).toBe(77);
  });

  test('names those at work whose place is not shown, and no others', async () => {
    const shown = apply(opened(open.items), open.children, 5);
    expect(strays(shown.crew, shown.blocks)).toBe('');
    const prompt = itemsOf(cutAfter(open.events, ({ type }) => type === 'user_message'));
    const cut = apply(opened(prompt), open.children, 5);
    expect(strays(cut.crew, cut.blocks)).toBe('agent_1');
    const ended = await ENDED.completed();
    const over = apply(cut, news(itemsOf(ended.events.filter(isEnd))), 6);
    expect(strays(over.crew, over.blocks)).toBe('');
    expect(lastTurn(over)?.entries).toMatchObject([{ kind: 'agent', subagent_id: 'agent_1' }]);
  });
});
