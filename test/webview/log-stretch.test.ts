import { describe, expect, test } from 'vitest';
import type { HostMessage, Item } from '../../src/presenter/protocol.ts';
import { hasNews, isCutOff, KEPT, MOST, shown } from '../../webview/log-stretch.ts';
import { INITIAL, lastTurn, type State } from '../../webview/state.ts';
import { apply, applyGesture } from '../../webview/store.ts';
import { append, snapshot, TS } from './log-items.ts';

const PER_TURN = 10;

/** A turn of ten items: a prompt, eight lines, and its end. */
function line(seq: number): Item {
  const turn_id = `t${Math.floor(seq / PER_TURN)}`;
  const at = seq % PER_TURN;
  const type = at === 0 ? 'user_message' : at === PER_TURN - 1 ? 'run_status' : 'diagnostic';
  const data = { turn_id, text: `prompt ${seq}`, message: `line ${seq}`, status: 'done' };
  return { seq, ts: TS, type, turn_id, data };
}

function lines(from: number, to: number): readonly Item[] {
  return Array.from({ length: to - from }, (_, n) => line(from + n));
}

function after(state: State, ...messages: readonly HostMessage[]): State {
  return messages.reduce((next, message) => apply(next, message, 1), state);
}

function before(state: State, from: number): HostMessage {
  const [first] = shown(state).items;
  const to = first?.seq ?? 0;
  return {
    v: 1,
    type: 'prepend',
    session_id: 'one',
    items: [...lines(from, to)],
    has_more: from > 0,
    before: to,
  };
}

function later(state: State, to: number, end: number): HostMessage {
  const last = shown(state).items.at(-1)?.seq ?? 0;
  return {
    v: 1,
    type: 'extend',
    session_id: 'one',
    items: [...lines(last + 1, to)],
    has_later: to < end,
    after: last,
  };
}

function span(items: readonly Item[]): readonly [number | undefined, number | undefined, number] {
  return [items[0]?.seq, items.at(-1)?.seq, items.length];
}

const END = 8000;
const opened = after(INITIAL, snapshot(lines(END - KEPT, END), { has_more: true }));
const away = applyGesture(opened, { kind: 'reader_moved', away: true, heading: 'back' });

describe('at the end', () => {
  test('the view lets go of what is far above, and keeps what it had drawn of the rest', () => {
    const grown = after(opened, append(lines(END, END + KEPT)));
    expect(span(grown.items)).toEqual([END - KEPT, END + KEPT - 1, MOST]);
    const trimmed = after(grown, append([line(END + KEPT)]));
    expect(span(trimmed.items)).toEqual([END + 1, END + KEPT, KEPT]);
    expect(trimmed.has_more).toBe(true);
    expect(trimmed.past).toBeNull();
    const kept = trimmed.blocks.slice(1, -1);
    expect(kept.length).toBeGreaterThan(20);
    expect(kept.every((block) => grown.blocks.includes(block))).toBe(true);
  });

  test('what is held stays bounded however long a session goes on', () => {
    let state = opened;
    for (let seq = END; seq < END + 5000; seq += 7) {
      state = after(state, append(lines(seq, seq + 7)));
      expect(state.items.length).toBeLessThanOrEqual(MOST);
    }
  });
});

describe('a reader who goes back', () => {
  test('keeps the end as long as there is room, and then lets go of it, not of what is being read', () => {
    const once = after(away, before(away, END - 2 * KEPT));
    expect(span(once.items)).toEqual([END - 2 * KEPT, END - 1, MOST]);
    expect(once.past).toBeNull();
    const twice = after(once, before(once, END - 3 * KEPT));
    expect(span(shown(twice).items)).toEqual([END - 3 * KEPT, END - KEPT - 1, MOST]);
    expect(span(twice.items)).toEqual([END - KEPT, END - 1, KEPT]);
  });

  test('sees nothing move when the log goes on, but is told of it', () => {
    const back = after(
      away,
      before(away, END - 2 * KEPT),
      before(after(away, before(away, END - 2 * KEPT)), END - 3 * KEPT - 100),
    );
    expect(hasNews(back)).toBe(false);
    const news = after(back, append(lines(END, END + 5)));
    expect(news.past).toBe(back.past);
    expect(hasNews(news)).toBe(true);
    expect(lastTurn(news)?.turn_id).toBe('t800');
  });

  test('keeps what is on screen also when the end outgrows the view meanwhile', () => {
    const news = after(away, append(lines(END, END + KEPT)), append([line(END + KEPT)]));
    expect(span(shown(news).items)).toEqual([END - KEPT, END + KEPT, MOST + 1]);
    expect(span(news.items)).toEqual([END + 1, END + KEPT, KEPT]);
  });

  test('comes forward again piece by piece, until it is the end', () => {
    let state = after(away, before(away, END - 2 * KEPT));
    state = after(state, before(state, END - 3 * KEPT));
    state = after(state, before(state, END - 4 * KEPT));
    expect(span(shown(state).items)).toEqual([END - 4 * KEPT, END - 2 * KEPT - 1, MOST]);
    state = after(state, later(state, END - KEPT - 50, END));
    expect(state.past).not.toBeNull();
    expect(shown(state).has_more).toBe(true);
    expect(shown(state).items).toHaveLength(MOST);
    state = after(state, later(state, END - KEPT + 50, END));
    expect(state.past).toBeNull();
    expect(span(state.items)).toEqual([END - MOST, END - 1, MOST]);
  });

  test('is at the end at once on wish, and after sending', () => {
    const back = after(
      after(away, before(away, END - 2 * KEPT)),
      before(after(away, before(away, END - 2 * KEPT)), END - 3 * KEPT - 50),
    );
    expect(back.past).not.toBeNull();
    const atEnd = applyGesture(back, { kind: 'end_wanted' });
    expect(span(shown(atEnd).items)).toEqual([END - KEPT, END - 1, KEPT]);
    expect(
      applyGesture(back, { kind: 'sent', client_turn_id: 'c', text: 'go on', attachments: [] }).past,
    ).toBeNull();
  });

  test('is not moved by an answer that comes after having gone elsewhere', () => {
    const late = before(away, END - 2 * KEPT);
    const elsewhere = after(away, late);
    expect(after(elsewhere, late)).toBe(elsewhere);
    expect(after(away, later(away, END, END))).toBe(away);
  });

  test('goes on reading when the session is told anew', () => {
    const once = after(away, before(away, END - 2 * KEPT));
    const again = after(once, snapshot(lines(END - KEPT, END), { has_more: true }));
    expect(shown(again).items).toEqual(once.items);
    expect(after(opened, snapshot(lines(END - KEPT, END), { has_more: true })).past).toBeNull();
    const other = after(once, snapshot(lines(0, 3), { session_id: 'two' }));
    expect([other.past, other.away]).toEqual([null, false]);
  });

  test('is told nothing of how a turn stands that is only shown up to its middle', () => {
    const cut = after(
      after(away, before(away, END - 2 * KEPT)),
      before(after(away, before(away, END - 2 * KEPT)), END - 3 * KEPT - 95),
    );
    const last = shown(cut).blocks.at(-1);
    const [whole] = shown(cut).blocks.slice(-2);
    if (last?.kind !== 'turn' || whole?.kind !== 'turn') throw new Error('no turns');
    expect(isCutOff(cut.past, last)).toBe(true);
    expect(isCutOff(cut.past, whole)).toBe(false);
  });
});

describe('a reader who jumps', () => {
  const asked = { v: 1, type: 'prepend', session_id: 'one', has_more: true } as const;

  test('is there with what was asked for, and comes forward to the end from there', () => {
    const end = after(INITIAL, snapshot([...lines(900, 1000)], { has_more: true }));
    const jumping = applyGesture(end, { kind: 'jump_wanted', before: 240 });
    const there = after(jumping, { ...asked, items: [...lines(30, 240)], before: 240 });
    expect(shown(there).items.map(({ seq }) => seq)).toEqual(lines(30, 240).map(({ seq }) => seq));
    expect(there.items.at(-1)?.seq).toBe(999);
    const forward = after(there, later(there, 540, 1000));
    expect(shown(forward).items.at(-1)?.seq).toBe(539);
    const back = after(forward, later(forward, 839, 1000), later(forward, 839, 1000));
    expect(back.past?.items.at(-1)?.seq).toBe(838);
    expect(after(back, later(back, 1000, 1000)).past).toBeNull();
  });

  test('is there also when the session is told anew meanwhile, and not that of another one', () => {
    const end = after(INITIAL, snapshot([...lines(900, 1000)], { has_more: true }));
    const jumping = applyGesture(end, { kind: 'jump_wanted', before: 240 });
    const anew = after(jumping, snapshot([...lines(900, 1000)], { has_more: true }));
    const there = after(anew, { ...asked, items: [...lines(30, 240)], before: 240 });
    expect(shown(there).items[0]?.seq).toBe(30);
    expect(after(jumping, snapshot([], { session_id: 'two' })).jump).toBeNull();
  });

  test('is told that it does not come, and can jump again', () => {
    const end = after(INITIAL, snapshot([...lines(900, 1000)], { has_more: true }));
    const jumping = applyGesture(end, { kind: 'jump_wanted', before: 240 });
    const told = { v: 1, type: 'failure', for: 'load_before', kind: 'disk' } as const;
    expect(after(jumping, { ...told, message: 'The log cannot be read.', next_actions: [] }).jump).toBeNull();
    const scrolled = after(jumping, { ...asked, items: [...lines(600, 900)], before: 900 });
    expect(scrolled.jump).toBe(240);
  });

  test('who sends meanwhile stays with what was sent', () => {
    const end = after(INITIAL, snapshot([...lines(900, 1000)], { has_more: true }));
    const jumping = applyGesture(end, { kind: 'jump_wanted', before: 240 });
    const sent = applyGesture(jumping, { kind: 'sent', client_turn_id: 'k', text: 'x', attachments: [] });
    expect(after(sent, { ...asked, items: [...lines(30, 240)], before: 240 }).past).toBeNull();
  });

  test('stays where another wish led meanwhile', () => {
    const end = after(INITIAL, snapshot([...lines(900, 1000)], { has_more: true }));
    const jumping = applyGesture(end, { kind: 'jump_wanted', before: 240 });
    const back = applyGesture(jumping, { kind: 'end_wanted' });
    expect(after(back, { ...asked, items: [...lines(30, 240)], before: 240 }).past).toBeNull();
  });
});
