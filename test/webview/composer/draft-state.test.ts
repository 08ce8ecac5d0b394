import { describe, expect, test } from 'vitest';
import {
  inSession,
  isLost,
  joined,
  keptOf,
  NO_DRAFT,
  reconciled,
  restoredDraft,
  withAttached,
  type Held,
} from '../../../webview/composer/draft-state.ts';

const FILE = { id: 'a1', kind: 'file', path: 'a.ts' };
const IMAGE = { id: 'i1', kind: 'image', label: 'shot.png', mime: 'image/png' };

function held(text: string, at: number, more: Partial<Held['draft']> = {}): Held {
  return { session_id: 'one', draft: { ...NO_DRAFT, text, ...more }, walk: null, at };
}

describe('what the page and the host kept of one draft', () => {
  test('is the later of the two', () => {
    const kept = { session_id: 'one', text: 'host', attachments: [FILE], at: 5 };
    expect(reconciled(held('page', 4), kept)).toEqual(held('host', 5, { attachments: [FILE] }));
    expect(reconciled(held('page', 6), kept)).toEqual(held('page', 6));
  });

  test('has the bytes that only the host still has', () => {
    const kept = { session_id: 'one', text: 'page', attachments: [{ ...IMAGE, data: 'AAAA' }], at: 5 };
    const page = held('page', 5, { attachments: [IMAGE] });
    expect(isLost(IMAGE)).toBe(true);
    expect(reconciled(page, kept).draft.attachments).toEqual([{ ...IMAGE, data: 'AAAA' }]);
  });

  test('keeps the bytes that the page has, whichever is the later one', () => {
    const kept = { session_id: 'one', text: 'host', attachments: [IMAGE], at: 5 };
    const attachments = [{ ...IMAGE, data: 'AAAA' }];
    expect(reconciled(held('page', 4, { attachments }), kept)).toEqual(held('host', 5, { attachments }));
    expect(reconciled(held('page', 5, { attachments }), kept)).toEqual(held('page', 5, { attachments }));
  });

  test('is not that of another session', () => {
    const kept = { session_id: 'two', text: 'other', attachments: [], at: 9 };
    expect(reconciled(held('page', 1), kept)).toEqual(held('page', 1));
  });
});

test('another session begins with an empty composer, and the first one with what was typed before it', () => {
  expect(inSession(held('words', 3), 'two')).toEqual({
    session_id: 'two',
    draft: NO_DRAFT,
    walk: null,
    at: 0,
  });
  expect(inSession({ ...held('words', 3), session_id: null }, 'one')).toEqual(held('words', 3));
});

test('the draft that was left for an earlier prompt is kept with its session, and is of no other', () => {
  const walk = { back: 1, texts: { 0: 'left behind' } };
  const page: Held = { ...held('earlier', 3), walk };
  expect(inSession(page, 'two').walk).toBeNull();
  const kept = keptOf(page);
  if (kept === null) throw new Error('not kept');
  expect(restoredDraft({ draft: kept, sending: null })).toEqual(page);
  expect(reconciled(held('', 0), kept)).toEqual(page);
});

test('a prompt that was on its way at a reload is a draft again, before what was typed after it', () => {
  const sending = { client_turn_id: 'c1', text: 'sent', attachments: [FILE] };
  const draft = { session_id: 'one', text: 'next', attachments: [], at: 3 };
  expect(restoredDraft({ sending, draft: null }).draft).toEqual(sending);
  expect(restoredDraft({ sending, draft }).draft).toEqual({
    client_turn_id: null,
    text: 'sent\n\nnext',
    attachments: [FILE],
  });
});

test('nothing is attached twice', () => {
  const once = withAttached(NO_DRAFT, [FILE]);
  expect(withAttached(once, [{ ...FILE, id: 'a2' }]).attachments).toEqual([FILE]);
  expect(joined(once, once).attachments).toEqual([FILE]);
  const lines = { id: 'l', kind: 'selection', path: 'a.ts', start_line: 1, end_line: 2 };
  const others = { ...lines, id: 'm', end_line: 3 };
  expect(withAttached(withAttached(NO_DRAFT, [lines]), [others]).attachments).toEqual([lines, others]);
});
