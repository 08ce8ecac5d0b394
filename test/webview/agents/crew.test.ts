import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/presenter/protocol.ts';
import { strays } from '../../../webview/agents/strays.ts';
import { INITIAL, lastTurn, type State } from '../../../webview/state.ts';
import { apply } from '../../../webview/store.ts';
import { foldItems } from '../../../webview/transcript.ts';
import { append, item, prompt, snapshot, turnOf } from '../log-items.ts';
import { asks, begun, child, children, ended, flow, spec, spawnCall, step } from './crew-items.ts';

function opened(items: readonly Item[]): State {
  return apply(INITIAL, snapshot(items), 0);
}

function places(items: readonly Item[]): readonly string[] {
  return turnOf(items).entries.map((entry) =>
    entry.kind === 'agent'
      ? entry.subagent_id
      : entry.kind === 'workflow'
        ? entry.workflow_id
        : entry.kind === 'call'
          ? entry.call_id
          : entry.kind,
  );
}

describe('the card of a child', () => {
  test('stands after the call that asked for it, whenever that is told', () => {
    const calls = [prompt(0), spawnCall(1, 'a1'), spawnCall(2, 'a2')];
    const told = [
      child(3, 'spawned', 'queued', { subagent_id: 'a2', call_id: 'call_a2' }),
      child(4, 'spawned', 'queued', { subagent_id: 'a1', call_id: 'call_a1' }),
    ];
    expect(places([...calls, ...told])).toEqual(['call_a1', 'a1', 'call_a2', 'a2']);
  });

  test('stands there once, however much is told of it', () => {
    const items = [prompt(0), ...begun(1), child(5, 'heartbeat', 'running'), ended(6, 'completed')];
    expect(places(items)).toEqual(['call_a1', 'a1']);
  });

  test('does not come again where the parent was told of its end, but where it got more to do', () => {
    const other = { ...item(10, 'user_message', { text: 'On.', client_turn_id: 'c2' }), turn_id: 't2' };
    const first = [prompt(0), ...begun(1), ended(6, 'completed'), other];
    const told = foldItems([...first, child(11, 'delivered', 'completed', { turn_id: 't2' })]);
    expect(told.map((block) => (block.kind === 'turn' ? block.entries.length : null))).toEqual([2, 0]);
    const more = foldItems([...first, child(11, 'continued', 'running', { turn_id: 't2' })]);
    expect(more.map((block) => (block.kind === 'turn' ? block.entries.length : null))).toEqual([2, 1]);
  });

  test('of a step is in the card of its workflow', () => {
    const started = flow(2, 'workflow_started', { call_id: 'call_f', spec: spec([step('build')]) });
    const call = item(1, 'tool_call', { call_id: 'call_f', name: 'run_workflow', args: '{}' });
    const kid = child(3, 'spawned', 'queued', { workflow_id: 'w1', step_id: 'build', call_id: 'call_f' });
    expect(places([prompt(0), call, started, kid])).toEqual(['call_f', 'w1']);
  });

  test('makes no turn of an earlier one whose end comes late', () => {
    const items = [prompt(5), ended(6, 'cancelled', { turn_id: 't0' })];
    expect(foldItems(items).map((block) => (block.kind === 'turn' ? block.turn_id : null))).toEqual(['t1']);
  });

  test('stands by itself where no turn gave it its work, and where its turn is before what is shown', () => {
    const { turn_id: _, ...loose } = child(3, 'continued', 'running');
    expect(foldItems([loose, { ...loose, seq: 4 }]).map(({ kind }) => kind)).toEqual(['agent']);
    const cut = foldItems([child(80, 'heartbeat', 'running')]);
    expect(cut).toMatchObject([{ kind: 'turn', prompt: null, entries: [{ kind: 'agent' }] }]);
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

describe('what is told of many children', () => {
  const many = Array.from({ length: 300 }, (_, index) => `m${index}`);
  const items = [
    prompt(0),
    ...many.flatMap((id, index) => begun(1 + index * 3, { subagent_id: id, child_session_id: `s_${id}` })),
  ];

  test('costs what is new, and nothing for what was told before', () => {
    let reads = 0;
    const before = opened(watched(items, () => (reads += 1)));
    reads = 0;
    const beat = child(2000, 'heartbeat', 'running', { subagent_id: 'm7', child_session_id: 's_m7' });
    const after = apply(before, append([beat]), 1);
    expect(reads).toBe(0);
    const changed = many.filter((id) => after.crew.children.get(id) !== before.crew.children.get(id));
    expect(changed).toEqual(['m7']);
    expect(after.blocks).toBe(before.blocks);
    expect(after.crew.workflows).toEqual(before.crew.workflows);
  });

  test('by the host changes those only that it names', () => {
    const first = many.map((id) => ({ subagent_id: id, activity: { text: 'Reading', since: 0 } }));
    const before = apply(opened(items), children(...first), 1);
    const after = apply(before, children({ subagent_id: 'm9', activity: { text: 'Running', since: 1 } }), 2);
    const changed = many.filter((id) => after.crew.live.get(id) !== before.crew.live.get(id));
    expect(changed).toEqual(['m9']);
    expect(after.crew.children).toBe(before.crew.children);
  });
});

describe('the crew of a session', () => {
  test('is whole after a reload from what is told then', () => {
    const items = [prompt(0), ...begun(1)];
    const live = children({ subagent_id: 'a1', questions: [asks('p1')] });
    const state = apply(opened(items), live, 5);
    const again = apply(apply(state, snapshot(items), 6), live, 7);
    expect(again.crew).toEqual(state.crew);
    expect(apply(INITIAL, snapshot(items), 6).crew.children).toEqual(state.crew.children);
  });

  test('forgets what was of the moment with a snapshot, and all of it with another session', () => {
    const state = apply(opened([prompt(0), ...begun(1)]), children({ subagent_id: 'a1' }), 5);
    expect(apply(state, snapshot(state.items), 6).crew.live.size).toBe(0);
    expect(apply(state, snapshot([], { session_id: 'two' }), 6).crew.children.size).toBe(0);
  });

  test('does not listen to what is said of another session', () => {
    const state = opened([prompt(0), ...begun(1)]);
    expect(apply(state, { ...children({ subagent_id: 'a1' }), session_id: 'two' }, 5)).toBe(state);
  });

  test('learns what comes before from what is loaded of it', () => {
    const state = opened([child(90, 'heartbeat', 'running')]);
    expect(state.crew.children.get('a1')?.task).toBeNull();
    const more = apply(
      state,
      {
        v: 1,
        type: 'prepend',
        session_id: 'one',
        items: [prompt(0), ...begun(1)],
        has_more: false,
        before: 90,
      },
      5,
    );
    expect(more.crew.children.get('a1')).toMatchObject({ task: 'Find the clock', agent: 'explorer' });
  });

  test('is news: while children work there is no silence', () => {
    expect(apply(opened([prompt(0), ...begun(1)]), children({ subagent_id: 'a1' }), 77).news_at).toBe(77);
  });

  test('names those at work whose place is not shown, and no others', () => {
    const busy = { activity: { text: 'Reading', since: 0 } };
    const shown = apply(opened([prompt(0), ...begun(1)]), children({ subagent_id: 'a1', ...busy }), 5);
    expect(strays(shown.crew, shown.blocks)).toBe('');
    const cut = apply(
      opened([prompt(80)]),
      children({ subagent_id: 'a1', ...busy }, { subagent_id: 'a2' }),
      5,
    );
    expect(strays(cut.crew, cut.blocks)).toBe('a1');
    const over = apply(cut, append([ended(90, 'completed')]), 6);
    expect(strays(over.crew, over.blocks)).toBe('');
    expect(lastTurn(over)?.entries).toMatchObject([{ kind: 'agent', subagent_id: 'a1' }]);
  });
});
