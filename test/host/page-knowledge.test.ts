import { expect, test } from 'vitest';
import { knowledgeAfter, withoutKnown, type PageKnowledge } from '../../src/host/page-knowledge.ts';
import type { HostMessage } from '../../src/presenter/protocol.ts';
import { append, prompt, snapshot } from '../webview/log-items.ts';

function known(...messages: readonly HostMessage[]): PageKnowledge | null {
  return messages.reduce<PageKnowledge | null>(knowledgeAfter, null);
}

const told = snapshot([prompt(0)], { last_seq: 0 });

test('what a page has is not told again', () => {
  expect(withoutKnown(known(told), told)).toEqual({ ...told, items: [], unchanged: true });
});

test('what was appended since is known as well', () => {
  const later = snapshot([prompt(0), prompt(1)], { last_seq: 1 });
  expect(withoutKnown(known(told), later)).toBe(later);
  expect(withoutKnown(known(told, append([prompt(1)])), later)).toMatchObject({ items: [], unchanged: true });
});

test('a page that is new, and another session, get all of it', () => {
  expect(withoutKnown(null, told)).toBe(told);
  const other = snapshot([prompt(0)], { session_id: 'other', last_seq: 0 });
  expect(withoutKnown(known(told), other)).toBe(other);
});
