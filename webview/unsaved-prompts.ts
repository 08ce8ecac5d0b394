import type { Item } from '../src/presenter/protocol.ts';
import { stringIn } from './fields.ts';
import type { Elsewhere, Sending, State } from './state.ts';

type Prompts = Pick<State, 'sending' | 'offered' | 'offered_to' | 'elsewhere'>;

type Offered = Pick<State, 'offered' | 'offered_to'>;

/** More than one can only be when a host is slow and a person is not. */
const ELSEWHERE_KEPT = 5;

/** Pure: what becomes of prompts that no log has yet when a session is shown: each belongs to its own. */
export function promptsIn(state: State, sessionId: string, items: readonly Item[]): Prompts {
  const all = [...state.elsewhere, ...leaving(state)];
  const own = all.filter(({ session_id }) => session_id === null || session_id === sessionId);
  const onItsWay = own.find(({ refused }) => !refused);
  const refused = own.find((one) => one.refused);
  const isHere = onItsWay === undefined || items.some((item) => isPromptOf(item, onItsWay.client_turn_id));
  return {
    sending: isHere ? null : sendingOf(onItsWay),
    ...(refused === undefined ? freeWords(state) : offer(refused)),
    elsewhere: all.filter((one) => !own.includes(one)).slice(-ELSEWHERE_KEPT),
  };
}

/** Pure: a prompt was not taken. It goes back to the composer of its session, when that is shown. */
export function promptRefused(state: State, clientTurnId: string | undefined): Prompts {
  const { sending, offered, offered_to, elsewhere } = state;
  if (sending !== null && (clientTurnId ?? sending.client_turn_id) === sending.client_turn_id)
    return { sending: null, ...offer(sending), elsewhere };
  const marked = elsewhere.map((one) =>
    one.client_turn_id === clientTurnId ? { ...one, refused: true } : one,
  );
  return { sending, offered, offered_to, elsewhere: marked };
}

export function isPromptOf(item: { type: string; data: unknown }, clientTurnId: string | undefined): boolean {
  return (
    clientTurnId !== undefined &&
    item.type === 'user_message' &&
    stringIn(item.data, 'client_turn_id') === clientTurnId
  );
}

function leaving({ sending, offered, offered_to: session_id }: State): readonly Elsewhere[] {
  const client_turn_id = offered?.client_turn_id ?? null;
  return [
    ...(sending === null ? [] : [{ ...sending, refused: false }]),
    ...(offered === null || client_turn_id === null
      ? []
      : [{ ...offered, client_turn_id, session_id, refused: true }]),
  ];
}

function sendingOf({ client_turn_id, text, attachments, session_id }: Elsewhere): Sending {
  return { client_turn_id, text, attachments, session_id };
}

function offer({ client_turn_id, text, attachments, session_id }: Sending): Offered {
  return { offered: { client_turn_id, text, attachments }, offered_to: session_id };
}

/** An example, or what the host put together: it is for whichever session is shown. */
function freeWords({ offered }: State): Offered {
  return { offered: offered?.client_turn_id === null ? offered : null, offered_to: null };
}
