import { expect, test } from 'vitest';
import { PressGuard } from '../../webview/press-guard.ts';

const HERE = { x: 100, y: 100 };

/** The pointer is on a button, and another one takes its place at 1,000 ms. */
function replaced(): PressGuard<string> {
  const guard = new PressGuard<string>();
  guard.pointerMoved(HERE, 'first');
  guard.contentMoved(HERE, 'second', 1000);
  return guard;
}

test('a click on what the pointer was moved to is meant at once', () => {
  const guard = new PressGuard<string>();
  guard.pointerMoved(HERE, 'first');
  expect(guard.isMeant(1, 1)).toBe(true);
});

test('the second click of a double click is never meant, and the keyboard always is', () => {
  const guard = new PressGuard<string>();
  guard.pointerMoved(HERE, 'first');
  expect([guard.isMeant(2, 1), guard.isMeant(3, 9000), guard.isMeant(0, 1)]).toEqual([false, false, true]);
  expect(replaced().isMeant(0, 1001)).toBe(true);
});

test('what came under a resting pointer takes no click for half a second', () => {
  const guard = replaced();
  expect([1000, 1350, 1499, 1500].map((at) => guard.isMeant(1, at))).toEqual([false, false, false, true]);
});

test('a hand that trembles is at rest, one that moves on takes aim', () => {
  const guard = replaced();
  guard.pointerMoved({ x: 103, y: 102 }, 'second');
  expect(guard.isMeant(1, 1200)).toBe(false);
  guard.pointerMoved({ x: 110, y: 104 }, 'second');
  expect(guard.isMeant(1, 1200)).toBe(true);
});

test('content that changes around the button under the pointer does not matter', () => {
  const guard = new PressGuard<string>();
  guard.pointerMoved(HERE, 'first');
  guard.contentMoved(HERE, 'first', 1000);
  expect(guard.isMeant(1, 1001)).toBe(true);
});

test('every further button that comes begins the wait anew', () => {
  const guard = replaced();
  guard.contentMoved(HERE, 'third', 1400);
  expect([guard.isMeant(1, 1600), guard.isMeant(1, 1900)]).toEqual([false, true]);
});
