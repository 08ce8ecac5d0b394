import { describe, expect, it } from 'vitest';
import { held, type HeldReply } from '../lifecycle/held-replies.ts';
import { programTime } from '../support/program-time.ts';
import { agentStage, asks, delegates, says, spawn, type ChildEvent } from './cast.ts';

const on = agentStage();
const time = programTime();

/** The last event of the only child of a session. */
async function endIn(session: string): Promise<ChildEvent> {
  const end = (await on.childEvents(session)).findLast(({ event }) => event !== 'delivered');
  if (end === undefined) throw new Error(`${session} has no child`);
  return end;
}

/** How the child, the child of it and the child of that ended, and why. */
async function ends(): Promise<readonly (readonly [string, string | null | undefined])[]> {
  const a = await endIn('s1');
  const b = await endIn(a.child_session_id);
  const c = await endIn(b.child_session_id);
  return [a, b, c].map(({ status, reason }) => [status, reason]);
}

const STOPPED = 'The person stopped the turn that it worked for.';

const DEEP = { 'subagents.maxDepth': 3 };

/** The roles below the first session: a child of a child of a child, of which the last one is held. */
const below = (c: HeldReply) => ({ a: delegates('b'), b: delegates('c'), c: [c.reply] });

describe('children of children', () => {
  it('end with a stop, all of them', async () => {
    const c = held(says('C.'));
    await on.cast({ Go: delegates('a'), ...below(c) });
    const window = await on.open(DEEP);
    await window.send('Go');
    await c.arrived;
    await window.stop();
    expect(await window.rests()).toBe('interrupted');
    expect(await ends()).toEqual([
      ['cancelled', STOPPED],
      ['cancelled', STOPPED],
      ['cancelled', STOPPED],
    ]);
  });

  it('end with the time of one above them, and nobody is said to have stopped them', async () => {
    const c = held(says('C.'));
    const Go = delegates('a', 'Too slow.', { timeout_ms: 9000 });
    const { turn } = await on.begin({ Go, ...below(c) }, DEEP);
    await c.arrived;
    await time.skip(9000);
    expect(await turn).toBe('completed');
    const stopped = 'The turn that it worked for was stopped (timeout).';
    expect(await ends()).toEqual([
      ['timed_out', 'stopped:timeout: The turn did not finish within its budget of 9 s.'],
      ['closed', stopped],
      ['closed', `The agent that it worked for was closed: ${stopped}`],
    ]);
  });

  it('end with one that the model closes, for its reason', async () => {
    const c = held(says('C.'));
    const closes = on.naming(
      'a',
      (id) => asks(['x', 'close_agent', { id, reason: 'Not needed.' }]),
      c.arrived,
    );
    const Go = [asks(spawn('1', 'a')), closes, says('Closed.')];
    const window = await on.play({ Go, ...below(c) }, DEEP);
    expect(window.state).toBe('completed');
    const once = 'The agent that it worked for was closed: Not needed.';
    expect(await ends()).toEqual([
      ['closed', 'Not needed.'],
      ['closed', once],
      ['closed', `The agent that it worked for was closed: ${once}`],
    ]);
  });
});
