import { describe, expect, it } from 'vitest';
import { held } from '../lifecycle/held-replies.ts';
import { streamOf } from '../support/responses-server/reply.ts';
import { responseEvents } from '../support/responses-server/response-events.ts';
import { asks, childEvents, childOf, says, spawn, stage, wait, type ChildEvent } from './cast.ts';

const on = stage();

/** The last event of the only child of a session. */
async function endIn(session: string): Promise<ChildEvent> {
  const end = (await childEvents(on, session)).findLast(({ event }) => event !== 'delivered');
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

describe('children of children', () => {
  it('end with a stop, all of them', async () => {
    const c = held(says('C.'));
    await on.cast({
      Go: [asks(spawn('1', 'a')), asks(wait('w'))],
      a: [asks(spawn('1', 'b')), asks(wait('w'))],
      b: [asks(spawn('1', 'c')), asks(wait('w'))],
      c: [c.reply],
    });
    const window = await on.open({ 'subagents.maxDepth': 3 });
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
    await on.cast({
      Go: [asks(spawn('1', 'a', { timeout_ms: 1500 })), asks(wait('w')), says('Too slow.')],
      a: [asks(spawn('1', 'b')), asks(wait('w'))],
      b: [asks(spawn('1', 'c')), asks(wait('w'))],
      c: [held(says('C.')).reply],
    });
    const window = await on.open({ 'subagents.maxDepth': 3 });
    expect(await window.turn('Go')).toBe('completed');
    const stopped = 'The turn that it worked for was stopped (timeout).';
    expect(await ends()).toEqual([
      ['timed_out', 'stopped:timeout: The turn did not finish within its budget of 1.5 s.'],
      ['closed', stopped],
      ['closed', `The agent that it worked for was closed: ${stopped}`],
    ]);
  });

  it('end with one that the model closes, for its reason', async () => {
    const c = held(says('C.'));
    await on.cast({
      Go: [
        asks(spawn('1', 'a')),
        async () => {
          await c.arrived;
          const { subagent_id: id } = await childOf(on, 'a');
          return streamOf(responseEvents(asks(['x', 'close_agent', { id, reason: 'Not needed.' }])));
        },
        says('Closed.'),
      ],
      a: [asks(spawn('1', 'b')), asks(wait('w'))],
      b: [asks(spawn('1', 'c')), asks(wait('w'))],
      c: [c.reply],
    });
    const window = await on.open({ 'subagents.maxDepth': 3 });
    expect(await window.turn('Go')).toBe('completed');
    const once = 'The agent that it worked for was closed: Not needed.';
    expect(await ends()).toEqual([
      ['closed', 'Not needed.'],
      ['closed', once],
      ['closed', `The agent that it worked for was closed: ${once}`],
    ]);
  });
});
