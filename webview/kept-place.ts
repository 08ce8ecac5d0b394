import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Place } from '../src/presenter/protocol.ts';
import { t } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import type { State } from './state.ts';

const NEAR_PX = 24;
const TELL_AFTER_MS = 250;
/** Each brings some thousand events. To a place one goes back if it is near, to a turn that was asked for from far. */
const LOADS = { place: 3, reveal: 12 } as const;

const TOO_FAR = t('That turn is too far back to be shown here. The log has it.');

export type Step = { readonly kind: 'load'; readonly seq: number } | { readonly kind: 'give_up' };

/** Pure: how to get to a turn that is not there. */
export function stepTo(
  target: Pick<Target, 'seq' | 'why' | 'loads'>,
  shown: { readonly first_seq: number | null; readonly has_more: boolean },
): Step {
  const { first_seq, has_more } = shown;
  const isBefore = has_more && first_seq !== null && target.seq < first_seq;
  return isBefore && target.loads < LOADS[target.why]
    ? { kind: 'load', seq: first_seq }
    : { kind: 'give_up' };
}

export interface Target {
  readonly session_id: string;
  readonly turn_id: string;
  readonly seq: number;
  readonly offset: number;
  readonly why: keyof typeof LOADS;
  readonly loads: number;
  /** The first event that was there when more was asked for. */
  readonly asked_before: number | null;
}

/** Goes back to where one was in a session, or to the turn that the host asked for, and remembers the way. */
export function useKeptPlace(
  state: State,
  presenter: Presenter,
  box: RefObject<HTMLDivElement | null>,
): void {
  const target = useRef<Target | null>(null);
  const latest = useRef(state);
  latest.current = state;
  const session_id = state.session?.session_id ?? null;

  useEffect(() => {
    const place = state.session?.place;
    if (session_id === null || place === undefined || place.at_bottom) target.current = null;
    else target.current = { ...place, session_id, why: 'place', loads: 0, asked_before: null };
  }, [session_id]);

  useEffect(() => {
    const { reveal } = state;
    if (reveal?.what !== 'turn' || reveal.turn_id === null || session_id === null) return;
    const { turn_id, seq } = reveal;
    const goal = { session_id, turn_id, seq: seq ?? 0, offset: 0 };
    target.current = { ...goal, why: 'reveal', loads: 0, asked_before: null };
  }, [state.reveal]);

  useEffect(() => {
    const goal = target.current;
    const element = box.current;
    if (goal === null || element === null || goal.session_id !== session_id) return;
    const known = state.items.find((item) => item.turn_id === goal.turn_id)?.seq;
    const turn = turnIn(element, goal.turn_id);
    // Of a turn that begins before the window, the top is not where it was.
    if (turn !== null && known !== undefined && (known <= goal.seq || !state.has_more)) {
      target.current = null;
      putAt(element, turn, goal.offset);
      // Once more, when what came into view has its real height.
      requestAnimationFrame(() => putAt(element, turn, goal.offset));
      return;
    }
    const first_seq = state.items[0]?.seq ?? null;
    if (goal.asked_before === first_seq) return;
    const step = stepTo(goal, { first_seq, has_more: state.has_more });
    if (step.kind === 'give_up') {
      target.current = null;
      if (goal.why === 'reveal') presenter.gesture({ kind: 'noticed', message: TOO_FAR });
      return;
    }
    target.current = { ...goal, loads: goal.loads + 1, asked_before: step.seq };
    presenter.post({ type: 'load_before', seq: step.seq, from_seq: goal.seq });
  }, [state.items, state.reveal, session_id]);

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
    window.addEventListener('pagehide', gone);
    return () => {
      window.clearTimeout(timer);
      element.removeEventListener('scroll', moved);
      element.removeEventListener('wheel', takenOver);
      element.removeEventListener('pointerdown', takenOver);
      window.removeEventListener('pagehide', gone);
    };
  }, []);
}

function turnIn(element: HTMLElement, turnId: string): HTMLElement | null {
  const turns = [...element.querySelectorAll<HTMLElement>('[data-turn-id]')];
  return turns.find((turn) => turn.dataset['turnId'] === turnId) ?? null;
}

function putAt(element: HTMLElement, turn: HTMLElement, offset: number): void {
  element.scrollTop += turn.getBoundingClientRect().top - element.getBoundingClientRect().top - offset;
}

/** The first turn that is in view. */
function placeOf(element: HTMLElement, { items }: State): Place | null {
  const { top } = element.getBoundingClientRect();
  for (const turn of element.querySelectorAll<HTMLElement>('[data-turn-id]')) {
    const box = turn.getBoundingClientRect();
    if (box.bottom <= top + 1) continue;
    const turn_id = turn.dataset['turnId'] ?? '';
    const seq = items.find((item) => item.turn_id === turn_id)?.seq;
    if (seq === undefined) return null;
    const left = element.scrollHeight - element.scrollTop - element.clientHeight;
    return { at_bottom: left < NEAR_PX, turn_id, seq, offset: Math.round(box.top - top) };
  }
  return null;
}
