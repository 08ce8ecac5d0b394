import { expect, test } from 'vitest';
import { ActionButtons } from '../../webview/action-buttons.tsx';
import type { Presenter } from '../../webview/presenter.ts';
import { click, draw, elementsIn } from '../support/small-dom.ts';

const ACTIONS = [
  { label: 'Try again', command: 'ledgerline.retryTurn' },
  { label: 'Show output', command: 'ledgerline.showOutput', args: ['s1'] },
];

test('a double click on a next action is one wish, and a later click another', () => {
  const posted: unknown[] = [];
  const presenter: Presenter = { post: (message) => posted.push(message), gesture: () => undefined };
  const { body } = draw(<ActionButtons actions={ACTIONS} presenter={presenter} />);
  const [again, output] = elementsIn(body).filter(({ localName }) => localName === 'button');
  if (again === undefined || output === undefined) throw new Error('a button is missing');
  const retry = { type: 'run_action', command: 'ledgerline.retryTurn' };

  click(again, 1);
  click(again, 2);
  click(again, 3);
  expect(posted).toEqual([retry]);

  click(again, 1);
  // The keyboard's clicks are not counted.
  click(output, 0);
  expect(posted).toEqual([
    retry,
    retry,
    { type: 'run_action', command: 'ledgerline.showOutput', args: ['s1'] },
  ]);
});

test('what would write is not offered where it cannot, and says why', () => {
  const presenter: Presenter = { post: () => undefined, gesture: () => undefined };
  const { body } = draw(<ActionButtons actions={ACTIONS} locked="Another has it." presenter={presenter} />);
  const [again, output] = elementsIn(body).filter(({ localName }) => localName === 'button');
  expect([again?.attributes.get('title'), output?.attributes.get('title')]).toEqual([
    'Another has it.',
    undefined,
  ]);
  expect([again, output].map((one) => one?.attributes.get('disabled'))).toEqual(['true', undefined]);
});

test('what compacts waits for another reason than what goes on with a turn', () => {
  const presenter: Presenter = { post: () => undefined, gesture: () => undefined };
  const actions = [...ACTIONS, { label: 'Compact now', command: 'ledgerline.compact' }];
  const titles = (locks: { locked?: string | null; compactionLocked?: string | null }): unknown[] =>
    elementsIn(draw(<ActionButtons actions={actions} {...locks} presenter={presenter} />).body)
      .filter(({ localName }) => localName === 'button')
      .map(({ attributes }) => attributes.get('title') ?? null);
  expect(titles({ compactionLocked: 'A turn is running.' })).toEqual([null, null, 'A turn is running.']);
  expect(titles({ locked: 'Another has it.' })).toEqual(['Another has it.', null, 'Another has it.']);
});

test('what goes on with a turn says with which', () => {
  const posted: unknown[] = [];
  const presenter: Presenter = { post: (message) => posted.push(message), gesture: () => undefined };
  const { body } = draw(<ActionButtons actions={ACTIONS} turnId="t1" presenter={presenter} />);
  for (const one of elementsIn(body).filter(({ localName }) => localName === 'button')) click(one);
  expect(posted).toEqual([
    { type: 'run_action', command: 'ledgerline.retryTurn', args: ['t1'] },
    { type: 'run_action', command: 'ledgerline.showOutput', args: ['s1'] },
  ]);
});
