import { expect, test } from 'vitest';
import { Notices } from '../../webview/notices.tsx';
import type { Presenter } from '../../webview/presenter.ts';
import { INITIAL } from '../../webview/state.ts';
import { apply } from '../../webview/store.ts';
import { draw } from '../support/small-dom.ts';
import { failure, readOnly, snapshot } from './log-items.ts';

const PRESENTER: Presenter = { post: () => undefined, gesture: () => undefined };

test('what the banner at the top says already is not said again', () => {
  const lost = apply(INITIAL, snapshot([], { access: readOnly('failed', 'The disk is full.') }), 0);
  const state = [failure('append', 'The disk is full.'), failure('send', 'Something else.')].reduce(
    (before, message) => apply(before, message, 0),
    lost,
  );
  const { body } = draw(<Notices state={state} presenter={PRESENTER} />);
  const { textContent } = body;
  expect(textContent).toContain('Something else.');
  expect(textContent).not.toContain('The disk is full.');
});
