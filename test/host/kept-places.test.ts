import { expect, test } from 'vitest';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { PLACES } from '../../src/host/contribution-ids.ts';
import { KeptPlaces } from '../../src/host/kept-places.ts';
import { snapshot } from '../webview/log-items.ts';

const PLACE = { turn_id: 't1', seq: 40, offset: -120, at_bottom: false };

/** The memory of a workspace, as a window leaves it to the next. */
function memory(kept: Record<string, unknown> = {}): ConstructorParameters<typeof KeptPlaces>[0] {
  return {
    keys: () => Object.keys(kept),
    get: (key: string) => kept[key] as never,
    update: async (key: string, value: unknown) => {
      kept[key] = JSON.parse(JSON.stringify(value));
    },
  };
}

const LOG = { error: (message: string) => expect.unreachable(message) } as unknown as ConstructorParameters<
  typeof KeptPlaces
>[1];

function placeIn(message: HostMessage): unknown {
  return message.type === 'snapshot' ? message.place : null;
}

test('a place is there for the next page and for the next window, of its own session only', () => {
  const kept = memory();
  const here = new KeptPlaces(kept, LOG);
  here.keep('one', PLACE);
  expect(placeIn(here.addedTo(snapshot([])))).toEqual(PLACE);
  expect(placeIn(new KeptPlaces(kept, LOG).addedTo(snapshot([])))).toEqual(PLACE);
  expect(placeIn(here.addedTo(snapshot([], { session_id: 'two' })))).toBeUndefined();
});

test('places do not pile up', () => {
  const kept: Record<string, unknown> = {};
  const here = new KeptPlaces(memory(kept), LOG);
  for (let n = 0; n < 30; n += 1) here.keep(`s${n}`, PLACE);
  expect(kept[PLACES]).toHaveLength(20);
});

test('the places of the sessions that were read last stay', () => {
  const kept: Record<string, unknown> = {};
  const here = new KeptPlaces(memory(kept), LOG);
  here.keep('one', PLACE);
  for (let n = 0; n < 19; n += 1) here.keep(`s${n}`, PLACE);
  here.keep('one', { ...PLACE, seq: 41 });
  here.keep('new', PLACE);
  const sessions = (kept[PLACES] as readonly (readonly [string, unknown])[]).map(([id]) => id);
  expect([sessions.length, sessions.slice(-2), sessions.includes('s0')]).toEqual([20, ['one', 'new'], false]);
});

test('what is no place is forgotten', () => {
  for (const value of [7, [7], [['one', {}]], [['one', { ...PLACE, seq: '1' }]], { one: PLACE }])
    expect(placeIn(new KeptPlaces(memory({ [PLACES]: value }), LOG).addedTo(snapshot([])))).toBeUndefined();
});
