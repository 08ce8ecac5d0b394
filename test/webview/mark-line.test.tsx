import { expect, test } from 'vitest';
import { MarkLine } from '../../webview/mark-line.tsx';
import { lineOf } from '../../webview/marks.ts';
import { draw } from '../support/small-dom.ts';
import { item } from './log-items.ts';

const FORK = { parent_session_id: 'ses_parent', fork_root_session_id: 'ses_root', forked_to_seq: 1234 };

function words(origin?: { readonly session_id: string; readonly title: string }): string {
  const mark = lineOf(item(0, 'session_fork', FORK));
  if (mark?.kind !== 'mark') throw new Error('it has no line');
  const presenter = { post: () => undefined, gesture: () => undefined };
  const shown = origin === undefined ? {} : { origin };
  return draw(<MarkLine mark={mark} {...shown} presenter={presenter} />).body.textContent;
}

test('the line of a fork names its parent by its title', () => {
  expect(words({ session_id: 'ses_parent', title: 'Mend the \u202ebuild' })).toMatch(
    /^Forked from “Mend the .*build”, up to its event 1,234 Open parent session$/,
  );
});

test('the line of a fork names its parent by its id where no title of it is known', () => {
  const plain = 'Forked from ses_parent, up to its event 1,234 Open parent session';
  expect(words()).toBe(plain);
  expect(words({ session_id: 'ses_parent', title: '' })).toBe(plain);
  expect(words({ session_id: 'ses_other', title: 'Another' })).toBe(plain);
});
