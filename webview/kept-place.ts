import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Place } from '../src/presenter/protocol.ts';
import { t } from './l10n.ts';
import { shown, type Held } from './log-stretch.ts';
import type { Presenter } from './presenter.ts';
import type { State } from './state.ts';
import { unreachable } from './unreachable.ts';

const NEAR_PX = 24;
const TELL_AFTER_MS = 250;
export interface Target {
  readonly session_id: string;
  readonly turn_id: string;
  readonly seq: number;
  readonly offset: number;
  readonly why: 'place' | 'reveal';
  /** The first event that was there when more was asked for; null before that. */
  readonly asked_before: number | null;
  /** The last event that was there when more was asked for below, to fill the screen; null before that. */
  readonly asked_after: number | null;
}

export type Step =
  | { readonly kind: 'load'; readonly before: number }
  | { readonly kind: 'to_end' }
  | { readonly kind: 'wait' }
  | { readonly kind: 'go' }
  | { readonly kind: 'give_up' };

/** Pure: how to get to a line of a turn. The log is asked once, for the part that has it, however far that is. */
export function stepTo(target: Target, state: Held & Pick<State, 'jump'>): Step {
  const { items, has_more } = shown(state);
  const first = items[0]?.seq;
  const last = items.at(-1)?.seq;
  if (first === undefined || last === undefined) return { kind: 'wait' };
  const known = items.find(({ turn_id }) => turn_id === target.turn_id)?.seq;
  // Of a turn that begins before what is shown, the top is not where it was.
  if (known !== undefined && (known <= target.seq || !has_more)) return { kind: 'go' };
  if (state.past !== null && target.seq > last) return { kind: 'to_end' };
  if (state.jump !== null || target.asked_before === first) return { kind: 'wait' };
  if (target.asked_before !== null || !has_more || target.seq >= first)
    return known === undefined ? { kind: 'give_up' } : { kind: 'go' };
  return { kind: 'load', before: Math.min(first, target.seq + 1) };
}

/**
 * Goes back to where one was in a session, or to the turn that the host asked for, and remembers the way.
 * @param drawn how many blocks are drawn by now, and whether these are all
 */
export function useKeptPlace(
  state: State,
  presenter: Presenter,
  box: RefObject<HTMLDivElement | null>,
  drawn: { readonly count: number; readonly isWhole: boolean },
): void {
  const target = useRef<Target | null>(null);
  const latest = useRef(state);
  latest.current = state;
  const session_id = state.session?.session_id ?? null;

  useEffect(() => {
    const place = state.session?.place;
    if (session_id === null || place === undefined || place.at_bottom) target.current = null;
    else target.current = { ...place, session_id, why: 'place', asked_before: null, asked_after: null };
  }, [session_id]);

  useEffect(() => {
    const { reveal } = state;
    if (reveal?.what !== 'turn' || reveal.turn_id === null || session_id === null) return;
    const { turn_id, seq } = reveal;
    const goal = { session_id, turn_id, seq: seq ?? 0, offset: 0 };
    target.current = { ...goal, why: 'reveal', asked_before: null, asked_after: null };
  }, [state.reveal]);

  useEffect(() => {
    const goal = target.current;
    const element = box.current;
    if (goal === null || element === null || goal.session_id !== session_id) return;
    // What was asked for is on its way.
    if (state.jump !== null) return;
    const step = stepTo(goal, state);
    switch (step.kind) {
      case 'wait':
        return;
      case 'to_end':
        return presenter.gesture({ kind: 'end_wanted' });
      case 'load':
        target.current = { ...goal, asked_before: shown(state).items[0]?.seq ?? null };
        presenter.gesture({ kind: 'jump_wanted', before: step.before });
        return presenter.post({ type: 'load_before', seq: step.before });
      case 'go': {
        const line = lineIn(element, goal);
        // It may be among what is not drawn yet.
        if (line !== null || drawn.isWhole) target.current = null;
        if (line === null) return;
        const last = state.past?.items.at(-1)?.seq;
        const isThere = putAt(element, line, goal.offset);
        // What is below does not reach yet: more of it, as often as that takes.
        if (!isThere && last !== undefined) {
          target.current = { ...goal, asked_after: last };
          return goal.asked_after === last ? undefined : presenter.post({ type: 'load_after', seq: last });
        }
        // Once more, when what came into view has its real height.
        requestAnimationFrame(() => putAt(element, line, goal.offset));
        return;
      }
      case 'give_up':
        target.current = null;
        if (goal.why === 'reveal')
          presenter.gesture({ kind: 'noticed', message: t('The log has no such turn any more.') });
        return;
      default:
        return unreachable(step);
    }
  }, [state.items, state.past, state.reveal, session_id, drawn.count]);

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    let timer: number | undefined;
    let told: { readonly session_id: string; readonly place: Place } | null = null;
    const tell = (): void => {
      window.clearTimeout(timer);
      timer = undefined;
      const known = latest.current;
      const id = known.session?.session_id;
      // Not the way to a place, only the place.
      if (id === undefined || target.current !== null) return;
      const place = placeOf(element, known);
      // Whoever follows an answer as it grows is at the end all the time.
      if (place === null || (told?.session_id === id && told.place.at_bottom && place.at_bottom)) return;
      told = { session_id: id, place };
      presenter.post({ type: 'place', ...told });
    };
    const moved = (): void => {
      timer ??= window.setTimeout(tell, TELL_AFTER_MS);
    };
    // Whoever moves meanwhile wants to be elsewhere.
    const takenOver = (): void => {
      target.current = null;
    };
    const gone = (): void => {
      if (timer !== undefined) tell();
    };
    element.addEventListener('scroll', moved, { passive: true });
    element.addEventListener('wheel', takenOver, { passive: true });
    element.addEventListener('pointerdown', takenOver, { passive: true });
    element.addEventListener('keydown', takenOver, { passive: true });
    window.addEventListener('pagehide', gone);
    return () => {
      window.clearTimeout(timer);
      element.removeEventListener('scroll', moved);
      element.removeEventListener('wheel', takenOver);
      element.removeEventListener('pointerdown', takenOver);
      element.removeEventListener('keydown', takenOver);
      window.removeEventListener('pagehide', gone);
    };
  }, []);
}

function turnIn(element: HTMLElement, turnId: string): HTMLElement | null {
  const turns = [...element.querySelectorAll<HTMLElement>('[data-turn-id]')];
  return turns.find((turn) => turn.dataset['turnId'] === turnId) ?? null;
}

function linesOf(turn: HTMLElement): readonly HTMLElement[] {
  return [...turn.querySelectorAll<HTMLElement>(':scope > [data-seq]')];
}

/** The line of an event, or the one it belongs to: not every event has one. */
function lineIn(element: HTMLElement, { turn_id, seq }: Target): HTMLElement | null {
  const turn = turnIn(element, turn_id);
  if (turn === null) return null;
  return linesOf(turn).findLast((line) => Number(line.dataset['seq']) <= seq) ?? turn;
}

/** Whether it is there now: what is below may not reach. */
function putAt(element: HTMLElement, line: HTMLElement, offset: number): boolean {
  const distance = (): number =>
    line.getBoundingClientRect().top - element.getBoundingClientRect().top - offset;
  element.scrollTop += distance();
  return distance() < 1;
}

/** The first line that is in view, or the last one of a turn of which only the end is. */
function placeOf(element: HTMLElement, state: State): Place | null {
  const { top } = element.getBoundingClientRect();
  const isInView = (part: HTMLElement): boolean => part.getBoundingClientRect().bottom > top + 1;
  const turn = [...element.querySelectorAll<HTMLElement>('[data-turn-id]')].find(isInView);
  const lines = turn === undefined ? [] : linesOf(turn);
  const line = lines.find(isInView) ?? lines.at(-1);
  if (turn === undefined || line === undefined) return null;
  const left = element.scrollHeight - element.scrollTop - element.clientHeight;
  return {
    at_bottom: left < NEAR_PX && state.past === null,
    turn_id: turn.dataset['turnId'] ?? '',
    seq: Number(line.dataset['seq']),
    offset: Math.round(line.getBoundingClientRect().top - top),
  };
}
