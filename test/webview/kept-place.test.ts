import { expect, test, vi } from 'vitest';

vi.stubGlobal('acquireVsCodeApi', () => ({
  postMessage: () => undefined,
  getState: () => undefined,
  setState: () => undefined,
}));
const { placeIn, stepTo, withPlace } = await import('../../webview/kept-place.ts');

const PLACE = { at_bottom: false, turn_id: 't1', seq: 40, offset: -120 };

test('a place is what was kept, and nothing else', () => {
  expect(placeIn(JSON.parse(JSON.stringify(PLACE)))).toEqual(PLACE);
  for (const other of [null, 7, {}, { ...PLACE, seq: '40' }, { ...PLACE, turn_id: undefined }])
    expect(placeIn(other)).toBeNull();
});

test('places do not pile up, and the last one of a session counts', () => {
  let places: Readonly<Record<string, unknown>> = {};
  for (let n = 0; n < 30; n += 1) places = withPlace(places, `s${n}`, { ...PLACE, seq: n });
  places = withPlace(places, 's15', { ...PLACE, seq: 99 });
  expect(Object.keys(places)).toHaveLength(20);
  expect(Object.keys(places).at(-1)).toBe('s15');
  expect(placeIn(places['s15'])?.seq).toBe(99);
});

test('what is before the window is loaded, but not without end', () => {
  const shown = { first_seq: 500, has_more: true };
  expect(stepTo({ seq: 40, why: 'place', loads: 0 }, shown)).toEqual({ kind: 'load', seq: 500 });
  expect(stepTo({ seq: 40, why: 'place', loads: 3 }, shown)).toEqual({ kind: 'give_up' });
  expect(stepTo({ seq: 40, why: 'reveal', loads: 3 }, shown)).toEqual({ kind: 'load', seq: 500 });
  expect(stepTo({ seq: 600, why: 'reveal', loads: 0 }, shown)).toEqual({ kind: 'give_up' });
  expect(stepTo({ seq: 40, why: 'reveal', loads: 0 }, { first_seq: 500, has_more: false })).toEqual({
    kind: 'give_up',
  });
});
