import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { lastTurn, turnStateOf, type State } from './state.ts';
import { announcementOf } from './turn-phrases.ts';

/** Says changes of the last turn's state aloud; what was already so when the view opened is not news. */
export function Announcer({ state }: { state: State }): VNode {
  const turn = lastTurn(state);
  const key = turn === undefined ? '' : `${turn.turn_id} ${turnStateOf(state, turn)}`;
  const known = useRef<string | null>(null);
  const [words, setWords] = useState('');
  useEffect(() => {
    if (state.session === null) return;
    const before = known.current;
    known.current = key;
    if (before === null || before === key || turn === undefined) return;
    setWords(announcementOf(turnStateOf(state, turn)));
  }, [key, state.session]);
  return (
    <div class="unseen" role="status" aria-live="polite">
      {words}
    </div>
  );
}
