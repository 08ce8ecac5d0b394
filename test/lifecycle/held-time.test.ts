import { describe, expect, it } from 'vitest';
import { PENDING_OUTPUT } from '../../src/runtime/replay/labels.ts';
import { apiError } from '../support/responses-server/reply.ts';
import { READ, WRITE } from '../support/tool-stubs.ts';
import { HeldClock } from './held-replies.ts';
import { endingOf, movesOf, STOPPED } from './log-file.ts';
import { stubStage, type StubSession } from './stub-session.ts';
import { asks, says } from './window.ts';

const on = stubStage();

const TOOLS = { read: READ, write: WRITE };
const BACK_OFF = 7777;
const BUDGET = 123_456;

describe('between two attempts', () => {
  const script = [
    asks(['c1', 'write', { path: 'a' }], ['c2', 'read', { path: 'b' }]),
    apiError(503, { message: 'down' }, { 'retry-after-ms': String(BACK_OFF) }),
    says('Done.'),
  ];

  /** A session whose first attempt has failed, and whose next one is not due yet. */
  async function waiting(): Promise<{ readonly clock: HeldClock; readonly session: StubSession }> {
    const clock = new HeldClock(BACK_OFF);
    await on.script(...script);
    const session = await on.open({ tools: TOOLS, clock });
    await session.send('Go.');
    await expect.poll(() => clock.sleeping).toBe(1);
    return { clock, session };
  }

  it('a decision is carried out at once, and the next attempt has its result', async () => {
    const { clock, session } = await waiting();
    await session.decide('c1', 'resume');
    await session.until((event) => event.type === 'tool_result' && event.data.call_id === 'c1');
    expect(on.requests).toHaveLength(2);
    clock.release();
    expect(await session.rests()).toBe('completed');
    expect([on.output(1, 'c1'), on.output(2, 'c1')]).toEqual([PENDING_OUTPUT, 'wrote a']);
    expect(on.requests).toHaveLength(3);
  });

  it('a Stop ends the wait, and what is pending is closed', async () => {
    const { clock, session } = await waiting();
    await session.session.stop('user_cancelled');
    expect(await session.rests()).toBe('interrupted');
    expect(endingOf(session.log.events)).toEqual(STOPPED);
    expect(movesOf(session.log.events, 'c1')).toEqual(['suspended', 'cancelled']);
    expect([clock.sleeping, on.requests.length]).toEqual([0, 2]);
  });
});

describe('the time of a turn', () => {
  it('is not counted while it waits, and goes on from there when the turn does', async () => {
    const clock = new HeldClock(BUDGET);
    await on.script(asks(['c1', 'write', { path: 'a' }]), says('Done.'));
    const session = await on.open({ tools: TOOLS, clock, settings: { turn_timeout_ms: BUDGET } });
    await session.send('Go.');
    expect(await session.rests()).toBe('waiting');
    expect(clock.sleeping).toBe(0);
    clock.release();
    expect(await session.rests()).toBe('waiting');
    const ran = session.of('run_status').at(-1)?.elapsed_ms ?? 0;
    expect(ran).toBeGreaterThan(0);
    expect(await session.decided('c1', 'resume')).toBe('completed');
    expect(clock.asked.filter((ms) => ms > BUDGET / 2)).toEqual([BUDGET, BUDGET - ran]);
  });

  it('that is up in the middle of an answer beside a pending call closes both', async () => {
    const clock = new HeldClock(BUDGET);
    await on.script(asks(['c1', 'write', { path: 'a' }], ['c2', 'read', { path: 'b' }]), {
      kind: 'silence',
    });
    const session = await on.open({ tools: TOOLS, clock, settings: { turn_timeout_ms: BUDGET } });
    await session.send('Go.');
    await expect.poll(() => on.requests.length).toBe(2);
    clock.release();
    expect(await session.rests()).toBe('timed_out');
    expect(movesOf(session.log.events, 'c1')).toEqual(['suspended', 'cancelled']);
    expect(session.of('turn_failed')).toMatchObject([{ terminal_status: 'timed_out', timeout_ms: BUDGET }]);
  });
});

describe('a decision as soon as the call is on record', () => {
  it.each([
    ['resume', 'wrote a', ['suspended', 'resuming', 'running', 'succeeded']],
    ['cancel', expect.stringContaining('denied'), ['suspended', 'cancelled']],
  ])('counts, though nobody has been asked yet: %s', async (action, output, moves) => {
    await on.script(asks(['c1', 'write', { path: 'a' }]), says('Done.'));
    const session = await on.open({ tools: TOOLS });
    await session.send('Go.');
    await session.until((event) => event.type === 'tool_call');
    expect(await session.decide('c1', action)).toMatchObject({ kind: 'accepted' });
    expect(await session.rests()).toBe('completed');
    expect(movesOf(session.log.events, 'c1')).toEqual(moves);
    expect(on.output(1, 'c1')).toEqual(output);
  });
});
