import type { CrewProps } from './agents/agent-list.tsx';
import { NO_CREW } from './agents/crew.ts';
import type { Sight } from './agents/shown-state.ts';
import { isCutOff } from './log-stretch.ts';
import { decisionsLocked, lastTurn, toldOf, turnStateOf, type State } from './state.ts';
import type { Turn } from './transcript.ts';
import type { TurnProps } from './turn-view.tsx';

const NO_CALLS = {};
const NONE_DECIDED: readonly string[] = [];

type SlotProps = Omit<TurnProps, 'presenter'>;

/** What is found out once for all blocks. */
export interface Moment {
  readonly sight: Sight;
  readonly strays: string;
}

export function crewProps(state: State, { sight }: Moment): Omit<CrewProps, 'presenter'> {
  const sessionId = state.session?.session_id ?? '';
  return { crew: state.crew, sight, sessionId, locked: decisionsLocked(state) };
}

/** Only the last turn gets what changes from moment to moment, so that the others are not drawn again. */
export function slotProps(state: State, turn: Turn, moment: Moment): SlotProps {
  const isLast = lastTurn(state) === turn;
  return {
    turn,
    turnState: turnStateOf(state, turn),
    told: toldOf(state, turn),
    plan: state.plan?.turn_id === turn.turn_id ? state.plan : null,
    stream: isLast && state.stream?.turn_id === turn.turn_id ? state.stream : null,
    calls: isLast ? state.calls : NO_CALLS,
    crew: isLast || turn.has_members ? state.crew : NO_CREW,
    sight: moment.sight,
    strays: isLast ? moment.strays : '',
    sessionId: state.session?.session_id ?? '',
    isLast,
    isCutOff: isCutOff(state.past, turn),
    stopping: state.stopping === turn.turn_id,
    newsAt: isLast ? state.news_at : 0,
    decided: isLast ? state.decided : NONE_DECIDED,
    locked: decisionsLocked(state),
  };
}
