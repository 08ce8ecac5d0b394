import { expect, test } from 'vitest';
import { DecideAll } from '../../webview/decide-all.tsx';
import { DecidingButton } from '../../webview/deciding-button.tsx';
import { click, draw, elementsIn, pressKey, type SmallElement } from '../support/small-dom.ts';

function drawn(view: Parameters<typeof draw>[0]): readonly SmallElement[] {
  return elementsIn(draw(view).body).filter(({ localName }) => localName === 'button');
}

test('a button that decides takes one click of a double click, and the keyboard', () => {
  let presses = 0;
  const [only] = drawn(<DecidingButton press={() => (presses += 1)}>Approve</DecidingButton>);
  if (only === undefined) throw new Error('there is no button');
  for (const detail of [1, 2, 3, 0]) click(only, detail);
  expect(presses).toBe(2);
});

test('a key that is held presses a button that decides only once', () => {
  const [only] = drawn(<DecidingButton press={() => undefined}>Approve</DecidingButton>);
  if (only === undefined) throw new Error('there is no button');
  expect([pressKey(only, 'Enter'), pressKey(only, 'Enter', true)]).toEqual([true, false]);
  // What leads away from it still works, held or not.
  expect(pressKey(only, 'Tab', true)).toBe(true);
});

test('all at once is decided with one click as well', () => {
  const presenter = { post: () => undefined, gesture: () => undefined };
  const buttons = drawn(<DecideAll approvals={[]} locked={null} presenter={presenter} />);
  expect(buttons.map(({ attributes }) => attributes.has('data-decides'))).toEqual([true, true]);
});
