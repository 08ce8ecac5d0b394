import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { announcement, type Hearable } from './announcements.ts';
import { lastTurn, turnStateOf, type State } from './state.ts';
import { waitingCalls } from './waiting-calls.ts';

function hearable(state: State): Hearable | null {
  const turn = lastTurn(state);
  if (state.session === null) return null;
  const { session_id } = state.session;
  if (turn === undefined) return { session_id, turn_id: '', state: null, waiting: [] };
  const waiting = waitingCalls(turn, state.calls, state.decided);
  return { session_id, turn_id: turn.turn_id, state: turnStateOf(state, turn), waiting };
}

/** Says aloud what changes in the last turn. */
export function Announcer({ state }: { state: State }): VNode {
  const known = useRef<Hearable | null>(null);
  const [said, setSaid] = useState({ words: '', times: 0 });
  useEffect(() => {
    const now = hearable(state);
    const words = announcement(known.current, now);
    known.current = now;
    if (words !== null) setSaid(({ times }) => ({ words, times: times + 1 }));
  }, [state.session, state.blocks, state.told, state.calls, state.decided]);
  return (
    <div class="unseen" role="status" aria-live="polite">
      {/* A new element each time: the same words twice are two announcements. */}
      <span key={said.times}>{said.words}</span>
    </div>
  );
}
