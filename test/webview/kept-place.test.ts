import { expect, test } from 'vitest';

import { stepTo } from '../../webview/kept-place.ts';

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
