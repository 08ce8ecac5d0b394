import { expect, test } from 'vitest';
import { Arrivals } from '../../webview/arrivals.ts';

function queue(): { push: (message: string) => void; frame: () => number; delivered: string[][] } {
  const delivered: string[][] = [];
  const frames: (() => void)[] = [];
  const built = new Arrivals<string>({
    deliver: (messages) => delivered.push([...messages]),
    mayWait: (message) => message.startsWith('delta'),
    afterArrived: (callback) => frames.push(callback),
  });
  const frame = (): number => {
    const due = frames.splice(0);
    for (const callback of due) callback();
    return due.length;
  };
  return { push: (message) => built.push(message), frame, delivered };
}

test('the first delta is drawn at once, and those that pile up behind it are drawn together', () => {
  const { push, frame, delivered } = queue();
  for (const message of ['delta 1', 'delta 2', 'delta 3']) push(message);
  expect(delivered).toEqual([['delta 1']]);
  frame();
  expect(delivered).toEqual([['delta 1'], ['delta 2', 'delta 3']]);
});

test('a fact waits for nothing, and never overtakes the text before it', () => {
  const { push, frame, delivered } = queue();
  for (const message of ['delta 1', 'delta 2', 'append', 'state']) push(message);
  expect(delivered).toEqual([['delta 1'], ['delta 2', 'append'], ['state']]);
  frame();
  expect(delivered).toHaveLength(3);
});

test('what follows a fact is not kept back by it', () => {
  const { push, frame, delivered } = queue();
  for (const message of ['state', 'delta 1', 'delta 2']) push(message);
  expect(delivered).toEqual([['state'], ['delta 1']]);
  expect(frame()).toBe(1);
  expect(delivered).toEqual([['state'], ['delta 1'], ['delta 2']]);
});

test('a quiet page has nothing under way', () => {
  const { push, frame } = queue();
  push('delta 1');
  expect(frame()).toBe(1);
  expect(frame()).toBe(0);
});
