import { expect, test } from 'vitest';
import { OtherWindow } from '../../src/app/other-window.ts';
import type { LogEvent } from '../../src/runtime/events.ts';
import type { StreamScratch } from '../../src/runtime/ports.ts';
import type { Follower } from '../../src/storage/log-follower.ts';
import { FROM_START } from '../../src/storage/log-scan.ts';
import { made } from '../support/made-events.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

interface Bench {
  readonly other: OtherWindow;
  readonly clock: VirtualClock;
  readonly told: string[];
  /** What the log of the other process has, as far as it is read here. */
  readonly events: LogEvent[];
  readonly look: (stream_run_id: string, text: string, turn_id?: string) => void;
  readonly fail: (error: Error) => void;
  readonly end: () => void;
}

/** The files of the other process: the test says when and what is read of them. */
function looking(): Bench {
  const clock = new VirtualClock();
  const told: string[] = [];
  const events: LogEvent[] = [];
  const reading = Promise.withResolvers<void>();
  let follower: Follower | null = null;
  let gone = false;
  const stored = {
    follow: (_end: unknown, given: Follower) => {
      follower = given;
      return reading.promise;
    },
    ownerGone: () => Promise.resolve(gone),
  };
  const other = new OtherWindow(stored, clock, {
    events: () => undefined,
    delta: ({ stream_run_id, text }: StreamScratch) => void told.push(`${stream_run_id}: ${text}`),
    streams: (turn_id) => void told.push(`${turn_id} streams`),
    known: () => ({ turn_id: 't', events }),
    ownerGone: () => void told.push('owner gone'),
    lostSight: (error) => void told.push(`lost sight: ${String(error)}`),
  });
  other.begin({ ...FROM_START, size: 0 });
  return {
    other,
    clock,
    told,
    events,
    look: (stream_run_id, text, turn_id = 't') => follower?.stream({ turn_id, stream_run_id, text }),
    fail: (error) => reading.reject(error),
    end: () => {
      gone = true;
      reading.resolve();
    },
  };
}

test.each([
  [
    'what came since the last look is told, once',
    { looks: ['a: one ', 'a: one ', 'a: one two'], tells: ['t streams', 'a: one ', 'a: two'] },
  ],
  [
    'another stream begins anew',
    { looks: ['a: one ', 'b: one two'], tells: ['t streams', 'a: one ', 't streams', 'b: one two'] },
  ],
  [
    'text that does not go on from what was told is left to the log',
    { looks: ['a: one ', 'a: other', 'a: one more'], tells: ['t streams', 'a: one ', 'a: more'] },
  ],
])('%s', (_, { looks, tells }) => {
  const { look, told } = looking();
  for (const seen of looks) {
    const [stream = '', text = ''] = seen.split(': ');
    look(stream, text);
  }
  expect(told).toEqual(tells);
});

test('text of another turn, or that is in the log already, is not told', () => {
  const { look, told, events } = looking();
  look('a', 'of before', 'another turn');
  events.push(made('provider_usage', 3, { turn_id: 't', stream_run_id: 'b' } as never));
  look('b', 'recorded');
  expect(told).toEqual([]);
});

test('a log that cannot be read any more is told at once, and ends the watch', async () => {
  const { other, fail, told, clock } = looking();
  fail(new Error('gone dark'));
  await clock.idle();
  expect(told).toEqual(['lost sight: Error: gone dark']);
  await other.close();
  expect(clock.sleeping).toBe(0);
});

test('an owner that is gone is told', async () => {
  const { other, end, told, clock } = looking();
  end();
  await clock.advance(5000);
  expect(told).toEqual(['owner gone']);
  await other.close();
});
