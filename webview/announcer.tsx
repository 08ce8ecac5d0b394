import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { childrenWaiting } from './agents/child-waiting.ts';
import { heardCrew } from './agents/crew-announcements.ts';
import { announcement, noticeWords, type Hearable } from './announcements.ts';
import { shownNotices } from './shown-notices.ts';
import { lastTurn, turnStateOf, type Notice, type State } from './state.ts';
import { waitingCalls } from './waiting-calls.ts';

function hearable(state: State): Hearable | null {
  const turn = lastTurn(state);
  if (state.session === null) return null;
  const { session_id } = state.session;
  const crew = heardCrew(state);
  const asked = childrenWaiting(state.crew, state.decided);
  if (turn === undefined) return { session_id, turn_id: '', state: null, waiting: asked, crew };
  const waiting = [...waitingCalls(turn, state.calls, state.decided), ...asked];
  return { session_id, turn_id: turn.turn_id, state: turnStateOf(state, turn), waiting, crew };
}

/** Says aloud what changes in the last turn, and every notice: errors at once, the rest when there is a pause. */
export function Announcer({ state }: { state: State }): VNode {
  const known = useRef<Hearable | null>(null);
  const heard = useRef<readonly Notice[]>([]);
  const [polite, say] = useSaid();
  const [assertive, interrupt] = useSaid();
  useEffect(() => {
    const now = hearable(state);
    const words = announcement(known.current, now);
    known.current = now;
    const notices = shownNotices(state);
    const fresh = noticeWords(heard.current, notices);
    heard.current = notices;
    const all = [words ?? '', fresh.polite].filter((part) => part !== '').join(' ');
    if (words !== null || fresh.polite !== '') say(all);
    // An error that is dismissed, or left with its session, is not to be found by whoever reads on.
    if (fresh.assertive !== '' || notices.every(({ level }) => level !== 'error')) interrupt(fresh.assertive);
  }, [state.session, state.blocks, state.told, state.calls, state.crew, state.decided, state.notices]);
  return (
    <>
      <Region said={polite} live="polite" />
      <Region said={assertive} live="assertive" />
    </>
  );
}

interface Said {
  readonly words: string;
  readonly times: number;
}

const NOTHING_SAID: Said = { words: '', times: 0 };

function useSaid(): readonly [Said, (words: string) => void] {
  const [said, setSaid] = useState(NOTHING_SAID);
  const say = (words: string): void =>
    setSaid((before) => (words === '' && before.words === '' ? before : { words, times: before.times + 1 }));
  return [said, say];
}

function Region({ said, live }: { said: Said; live: 'polite' | 'assertive' }): VNode {
  return (
    <div class="unseen" role={live === 'polite' ? 'status' : 'alert'} aria-live={live}>
      {/* A new element each time: the same words twice are two announcements. */}
      <span key={said.times}>{said.words}</span>
    </div>
  );
}
