import { describe, expect, test } from 'vitest';
import { crewAfter, crewWithLive } from '../../../webview/agents/crew.ts';
import { childState } from '../../../webview/agents/shown-state.ts';
import { later, NOTHING, says } from '../../support/cast-provider.ts';
import { changed, cutAfter, isEnd, moved, ofChild } from '../../support/changed-log.ts';
import { CUT, ENDED, handsOn, leavesAlone, MINUTE, TASK } from '../../support/child-stories.ts';
import { BEGAN, childOf, COMMAND, crewOf, itemsOf } from './crew-items.ts';

const SEEN = { lost: false, seen_from: -1 };
const EXPLORER = { agent: 'explorer' };
const open = await handsOn([NOTHING], EXPLORER);
const queued = cutAfter(open.events, ofChild('spawned'));

/** Asks a person, and is told to do without. */
async function asked(): ReturnType<typeof handsOn> {
  const bench = await handsOn([COMMAND, later(1000, says('Seen.'))], {}, { mode: 'ask' });
  await bench.pass(MINUTE);
  return bench;
}

describe('what the log says of a child', () => {
  test('is its role, its task, and since when and until when it works', () => {
    expect(childOf(open.items)).toMatchObject({
      agent: 'explorer',
      task: TASK,
      state: 'running',
      started_at: BEGAN,
      deadline_at: BEGAN + 600_000,
      timeout_ms: 600_000,
      end: null,
    });
  });

  test('is that it is queued until it begins', () => {
    expect(childOf(itemsOf(queued))).toMatchObject({ state: 'queued', started_at: null });
  });

  test.each([
    ['completed', '', 0],
    ['failed', 'invalid_request: ', 0],
    ['timed_out', 'stopped:timeout: ', MINUTE],
    ['interrupted', 'user_cancelled: ', 0],
    ['cancelled', 'The person stopped the turn that it worked for.', 0],
    ['closed', 'Its parent closed it.', 0],
    ['detached', 'The window that ran it ended or lost the session.', 0],
  ] as const)('is how it ended: %s', async (status, reason, elapsed_ms) => {
    const one = childOf((await ENDED[status]()).items);
    expect(one).toMatchObject({ state: status, status, end: { elapsed_ms } });
    expect(one.end?.reason.slice(0, reason.length)).toBe(reason);
  });

  test('is how long it had worked when it began to wait for a person, and no time of that wait', async () => {
    const bench = await handsOn([later(5000, COMMAND), NOTHING], {}, { mode: 'ask' });
    await bench.pass(5000);
    await bench.pass(MINUTE);
    expect(childOf(bench.items)).toMatchObject({ waits: true, worked_ms: 5000 });
    await bench.decide('suspension_c1', 'cancel');
    expect(childOf(bench.items)).toMatchObject({
      waits: false,
      worked_ms: null,
      started_at: BEGAN + MINUTE,
      deadline_at: BEGAN + MINUTE + 600_000,
    });
  });

  test('is the same when it gets more to do while it waits or works', async () => {
    const waiting = await handsOn([later(5000, COMMAND), NOTHING], {}, { mode: 'ask' });
    await waiting.pass(5000);
    const before = childOf(waiting.items);
    await waiting.person((desk) => desk.send('agent_1', 'More.', null));
    expect(waiting.events.some(ofChild('continued'))).toBe(true);
    expect(waiting.session.state.children.known).toMatchObject([{ waits: true, worked_ms: 5000 }]);
    expect(childOf(waiting.items)).toEqual({ ...before, as_of: waiting.events.length - 1 });
    const working = await handsOn([NOTHING]);
    await working.pass(5000);
    await working.person((desk) => desk.send('agent_1', 'More.', null));
    expect(childOf(working.items)).toMatchObject({ started_at: BEGAN, deadline_at: BEGAN + 600_000 });
  });

  test('is how long it had worked also after it was put away', async () => {
    const working = await handsOn([NOTHING]);
    await working.pass(MINUTE);
    const lost = await working.crash();
    await lost.person((desk) => desk.end('agent_1', { status: 'closed', reason: 'Discarded.' }));
    expect(childOf(lost.items).end).toMatchObject({ elapsed_ms: MINUTE });
  });

  test('names what its checkpoint has', async () => {
    const checkpoint = {
      status: 'checkpoint_ready',
      summary: 's',
      limitations: ['Not on Windows.', 7],
      verification: ['Ran it.'],
      artifacts: [
        { path: 'out.md', sha256: 'c0ffee', bytes: 3 },
        { path: 'gone.md', sha256: null, problem: 'No such file.' },
        {},
      ],
    };
    const { events } = await ENDED.completed();
    expect(childOf(itemsOf(changed(events, isEnd, { checkpoint }))).end?.reported).toEqual({
      limitations: ['Not on Windows.'],
      verification: ['Ran it.'],
      artifacts: [
        { path: 'out.md', sha256: 'c0ffee', bytes: 3, problem: '' },
        { path: 'gone.md', sha256: null, bytes: null, problem: 'No such file.' },
      ],
    });
  });

  test('tells the attempts before the present one, which has a session of its own', async () => {
    const bench = await handsOn([later(900, CUT), NOTHING], EXPLORER);
    await bench.pass(900);
    const reason = 'The stream ended before the answer was complete.';
    expect(childOf(bench.items)).toMatchObject({
      child_session_id: 'session_2',
      state: 'running',
      attempts: [{ reason, elapsed_ms: 900, child_session_id: 'session_1' }],
    });
  });

  test('is that it needs a person until it went on', async () => {
    const bench = await asked();
    expect(bench.events.at(-1)?.data).toMatchObject({ event: 'heartbeat' });
    expect(childState(childOf(bench.items), undefined, SEEN)).toBe('waiting');
    await bench.decide('suspension_c1', 'cancel');
    expect(childState(childOf(bench.items), undefined, SEEN)).toBe('running');
  });

  test('is open again when it got more to do, and its old end is gone', async () => {
    const bench = await handsOn([says('Seen.'), NOTHING]);
    await bench.pass(12_000);
    await bench.person((desk) => desk.send('agent_1', 'More.', null));
    expect(childOf(bench.items)).toMatchObject({ state: 'running', end: null, started_at: BEGAN + 12_000 });
  });

  test('does not change because the parent was told, or by what comes late', async () => {
    const bench = await leavesAlone([later(MINUTE, says('Seen.'))], says('It looks.'), says('Done.'));
    await bench.pass(MINUTE);
    const late = moved(bench.events, ofChild('heartbeat'), ofChild('delivered'));
    const over = childOf(itemsOf(cutAfter(late, isEnd)));
    const beat = late.findIndex(ofChild('heartbeat'));
    expect(childOf(itemsOf(late))).toEqual({ ...over, as_of: beat });
  });

  test('is that a detached one was discarded, once it was', async () => {
    const bench = await ENDED.detached();
    expect(childOf(bench.items).state).toBe('detached');
    await bench.person((desk) => desk.end('agent_1', { status: 'closed', reason: 'Discarded.' }));
    expect(childOf(bench.items).state).toBe('closed');
  });

  test('is the same in whatever order its parts of the log are loaded, and however often', async () => {
    const bench = await asked();
    await bench.decide('suspension_c1', 'cancel');
    await bench.pass(1000);
    const { items } = bench;
    const whole = childOf(items);
    expect(whole.end).not.toBeNull();
    for (let cut = 1; cut < items.length; cut += 1) {
      const late = crewAfter(crewOf(items.slice(cut)), items.slice(0, cut));
      expect([cut, late.children.get('agent_1')]).toEqual([cut, whole]);
      expect([cut, crewAfter(late, items).children.get('agent_1')]).toEqual([cut, whole]);
    }
  });

  test('is what is known of it where it began before what is shown', async () => {
    const bench = await handsOn([later(90_000, says('Seen.'))], EXPLORER);
    await bench.pass(90_000);
    const beat = childOf(itemsOf(bench.events.filter(ofChild('heartbeat'))));
    expect(beat).toMatchObject({ agent: 'explorer', task: null, state: 'running', started_at: BEGAN });
    expect(childOf(itemsOf(bench.events.filter(isEnd)))).toMatchObject({ agent: 'explorer', task: TASK });
  });

  test('of another version is what can be read of it', () => {
    const facts = { event: 'levitated', status: 'floating', retry_history: 'many', deadline_at: 'soon' };
    const odd = changed(open.events, ofChild('started'), facts).filter(ofChild('levitated'));
    expect(childOf(itemsOf(odd).map((item) => ({ ...item, ts: 'now' })))).toMatchObject({
      status: 'floating',
      state: 'unknown',
      attempts: [],
      deadline_at: null,
      end: null,
    });
  });
});

describe('how a child stands', () => {
  const one = childOf(open.items);
  const busy = crewWithLive(crewOf(open.items), open.children).live.get('agent_1');

  test('is what the host says of the moment, until the log has its end', async () => {
    expect(childState(childOf(itemsOf(queued)), busy, SEEN)).toBe('running');
    expect(childState(childOf((await ENDED.failed()).items), busy, SEEN)).toBe('failed');
    expect(childState(undefined, busy, SEEN)).toBe('running');
  });

  test('is not that it works where nobody writes the log', () => {
    expect(childState(one, undefined, { ...SEEN, lost: true })).toBe('stale');
  });

  test('is not known where its end may be in a part of the log that was not loaded', () => {
    expect(childState(one, undefined, { ...SEEN, seen_from: 500 })).toBe('unknown');
    expect(childState(one, busy, { ...SEEN, seen_from: 500 })).toBe('running');
  });
});
