import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { shown } from './log-stretch.ts';
import type { Presenter } from './presenter.ts';
import type { State } from './state.ts';
import { keep, readKept, type KeptPlace } from './vscode-api.ts';

/** So many screens back a place is looked for; one further back is given up, and the end is shown. */
const MOST_SCREENS = 10;
const NEAR_END_PX = 24;

/** A view that was hidden or reloaded comes back where the reader was, not at the end. */
export function useKeptPlace(
  box: RefObject<HTMLDivElement | null>,
  state: State,
  presenter: Presenter,
): void {
  const sought = useRef<{ readonly place: KeptPlace; screens: number } | null>(null);
  const isFirst = useRef(true);
  const session_id = state.session?.session_id ?? null;
  const { items, has_more } = shown(state);
  const first = items[0]?.seq ?? 0;
  const hasEnd = state.past === null;
  const now = useRef({ session_id, hasEnd });
  now.current = { session_id, hasEnd };

  useEffect(() => {
    if (session_id === null) return;
    const { place } = readKept();
    if (isFirst.current && place !== null) sought.current = { place, screens: 0 };
    isFirst.current = false;
    const search = sought.current;
    if (search === null) return;
    if (search.place.session_id !== session_id || goTo(box.current, search.place)) sought.current = null;
    else if (!has_more || search.screens >= MOST_SCREENS) sought.current = null;
    else {
      search.screens += 1;
      presenter.post({ type: 'load_before', seq: first });
    }
  }, [session_id, first]);

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const save = (): void => {
      if (sought.current === null) keep({ place: placeIn(element, now.current) });
    };
    element.addEventListener('scrollend', save);
    return () => element.removeEventListener('scrollend', save);
  }, []);
}

function goTo(box: HTMLElement | null, { turn_id, offset }: KeptPlace): boolean {
  const turn = box?.querySelector(`[data-turn-id="${CSS.escape(turn_id)}"]`);
  if (box === null || turn === null || turn === undefined) return false;
  box.scrollTop += turn.getBoundingClientRect().top - box.getBoundingClientRect().top - offset;
  return true;
}

/** Null at the end: there the view follows what comes. */
function placeIn(
  box: HTMLElement,
  { session_id, hasEnd }: { readonly session_id: string | null; readonly hasEnd: boolean },
): KeptPlace | null {
  const atEnd = hasEnd && box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END_PX;
  if (session_id === null || atEnd) return null;
  const top = box.getBoundingClientRect().top;
  const turn = [...box.querySelectorAll<HTMLElement>('[data-turn-id]')].find(
    (one) => one.getBoundingClientRect().bottom > top,
  );
  const turn_id = turn?.dataset['turnId'];
  if (turn === undefined || turn_id === undefined) return null;
  return { session_id, turn_id, offset: Math.round(turn.getBoundingClientRect().top - top) };
}
