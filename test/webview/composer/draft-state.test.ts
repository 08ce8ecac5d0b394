import { describe, expect, test } from 'vitest';
import { chipNames } from '../../../webview/composer/chip-names.ts';
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
import type { Chosen } from '../../../webview/state.ts';

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

function attached(...all: readonly Chosen[]): readonly Chosen[] {
  return all.reduce((draft, one) => withAttached(draft, [one]).draft, NO_DRAFT).attachments;
}

describe('nothing is attached twice', () => {
  const lines = { id: 'l', kind: 'selection', path: 'a.ts', start_line: 1, end_line: 2 };
  const given = { id: 'g', kind: 'selection', path: 'a.ts', label: 'a.ts:1-2', text: 'one\ntwo' };

  test('a file by its path, or as an open editor', () => {
    expect(attached(FILE, { ...FILE, id: 'a2' }, { ...FILE, id: 'a3', kind: 'editor' })).toEqual([FILE]);
  });

  test('a selection by its lines, or by its text', () => {
    const others = { ...lines, id: 'm', end_line: 3 };
    expect(attached(lines, others, { ...lines, id: 'n' })).toEqual([lines, others]);
    const more = { ...given, id: 'h', text: 'three' };
    expect(attached(given, more, { ...given, id: 'i' })).toEqual([given, more]);
  });

  test('also where two drafts become one', () => {
    const first = { ...NO_DRAFT, text: 'Ask', attachments: [given] };
    const second = { ...NO_DRAFT, text: 'Explain', attachments: [{ ...given, id: 'h' }] };
    expect(joined(first, second).attachments).toEqual([given]);
  });

  test('but images without bytes are each one of their own', () => {
    const other = { ...IMAGE, id: 'i2' };
    expect(attached(IMAGE, other)).toEqual([IMAGE, other]);
  });
});

test('no more is attached than the host takes, and what there was no room for is named', () => {
  const files = Array.from({ length: 21 }, (_, n) => ({ id: `f${n}`, kind: 'file', path: `f${n}.ts` }));
  const images = Array.from({ length: 11 }, (_, n) => ({
    ...IMAGE,
    id: `p${n}`,
    label: `p${n}.png`,
    data: `${n}`,
  }));
  const full = withAttached(NO_DRAFT, files);
  expect(full.draft.attachments.length).toBe(20);
  expect(full.left).toEqual([{ name: 'f20.ts', over: 'attachments' }]);
  expect(withAttached(NO_DRAFT, images).left).toEqual([{ name: 'p10.png', over: 'images' }]);
});

function named(path: string, label = 'index.ts') {
  return { kind: 'file', label, path };
}

test('those that have one name are told apart by their folders', () => {
  expect(
    chipNames([
      named('src/a/index.ts'),
      named('src/b/index.ts'),
      named('lib/b/index.ts'),
      named('index.ts'),
      named('src/login.ts', 'login.ts'),
    ]),
  ).toEqual(['a/index.ts', 'src/b/index.ts', 'lib/b/index.ts', 'index.ts', 'login.ts']);
});
