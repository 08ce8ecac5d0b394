import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Draft } from '../../src/runtime/events.ts';
import { makePlace } from '../support/headless.ts';
import { makeGate, Supervised } from './supervised.ts';

let place: Awaited<ReturnType<typeof makePlace>>;

beforeEach(async () => {
  place = await makePlace();
});

afterEach(() => place.remove());

/** The event of a child, whichever child it is. */
const of =
  (event: string) =>
  ({ type, data }: Draft): boolean =>
    type === 'subagent_event' && data.event === event;

async function spawned(on: Supervised, task: string): Promise<string> {
  const answer = await on.spawn(task);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value.subagent_id;
}

describe('input to a child that is just ending', () => {
  it('is never lost: it goes on with that once its end is on record', async () => {
    const prompts: string[] = [];
    const on = new Supervised(place.storage, async ({ input }) => {
      prompts.push(JSON.stringify(input.at(-1)));
      return `Answer ${prompts.length}.`;
    });
    const end = on.slow.hold(of('finished'));
    const id = await spawned(on, 'a');
    await end.reached;
    const sent = on.desk.send(id, 'And b?', null);
    end.release();
    expect(await sent).toMatchObject({ ok: true });
    await on.over();
    expect(on.lives).toEqual({
      a: ['spawned', 'started', 'completed', 'continued', 'started', 'completed'],
    });
    expect(prompts.at(-1)).toContain('And b?');
    expect(on.supervisor.open).toEqual([]);
  });
});

describe('a child that waits for room', () => {
  it('and is not on record yet when another ends starts all the same', async () => {
    const a = makeGate();
    const on = new Supervised(place.storage, async ({ input }) => {
      if (JSON.stringify(input).includes('first')) await a.released;
      return 'Done.';
    });
    on.max_running = 1;
    await spawned(on, 'first');
    const end = on.slow.hold(of('finished'));
    a.release();
    await end.reached;
    const entry = on.slow.hold(of('spawned'));
    const second = spawned(on, 'second');
    end.release();
    await entry.reached;
    await new Promise((resolve) => setImmediate(resolve));
    entry.release();
    await second;
    await on.over();
    expect(on.lives).toEqual({
      first: ['spawned', 'started', 'completed'],
      second: ['spawned', 'started', 'completed'],
    });
    expect(on.errors).toEqual([]);
  });

  it('and is not on record yet when all are stopped ends with them', async () => {
    const on = new Supervised(place.storage, () => new Promise(() => undefined));
    on.max_running = 1;
    await spawned(on, 'first');
    const entry = on.slow.hold(of('spawned'));
    const second = spawned(on, 'second');
    await entry.reached;
    const closed = on.supervisor.closeAll({ kind: 'interrupted', reason: 'user_cancelled' });
    entry.release();
    await second;
    await closed;
    expect(on.lives).toEqual({
      first: ['spawned', 'started', 'cancelled'],
      second: ['spawned', 'cancelled'],
    });
    expect(on.errors).toEqual([]);
  });
});

describe('a log of the parent that takes nothing more', () => {
  it.each(['spawned', 'started', 'finished', 'continued'])(
    'from `%s` on leaves no child behind',
    async (event) => {
      const on = new Supervised(place.storage, async () => 'Done.', of(event));
      on.max_running = 1;
      const ids = await Promise.allSettled([
        spawned(on, 'first'),
        spawned(on, 'second'),
        spawned(on, 'third'),
      ]);
      await on.idle();
      const [first] = ids;
      if (event === 'continued' && first?.status === 'fulfilled')
        await expect(on.desk.send(first.value, 'More.', null)).rejects.toThrow('disk');
      await on.idle();
      expect(on.supervisor.open).toEqual([]);
      expect(on.errors).toEqual([]);
      expect(on.log.events.some(({ type, data }) => type === 'subagent_event' && data.event === event)).toBe(
        false,
      );
    },
  );
});
