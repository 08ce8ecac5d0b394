import type { PresenterMessage } from '../presenter/protocol.ts';
import type { Way } from '../runtime/turn-changes.ts';
import { COMMANDS } from './contribution-ids.ts';
import { parseChatPlace, type ChatPlaceArgument } from './diagnostics-arguments.ts';
import { sessionIdIn } from './session-argument.ts';
import { mergePlaceOf } from './undo-place.ts';

/** What becomes of a message from the tab of a child: it stays with that child, and other sessions open in the chat. */
export type PanelWork =
  | { readonly kind: 'message'; readonly message: PresenterMessage }
  /** Into a new session, which opens in the chat. */
  | { readonly kind: 'fork'; readonly at_seq: number | null; readonly summary: boolean }
  /** Into a new session as well, with the words of a prompt in its composer, which is that of the chat. */
  | { readonly kind: 'edit'; readonly seq: number }
  /** Of the last turn here. */
  | { readonly kind: 'undo'; readonly way: Way }
  | { readonly kind: 'reveal'; readonly place: ChatPlaceArgument };

type Action = Extract<PresenterMessage, { type: 'run_action' }>;

/** Commands that take the session of the chat where none is named. */
const ABOUT_A_SESSION: ReadonlySet<string> = new Set([
  COMMANDS.openLog,
  COMMANDS.inspectRequest,
  COMMANDS.diagnose,
  COMMANDS.openCheckpoint,
  COMMANDS.exportSession,
]);

/** Pure. */
export function panelWork(message: PresenterMessage, sessionId: string): PanelWork {
  if (message.type === 'run_action') return actionWork(message, sessionId);
  if (message.type === 'fork')
    return { kind: 'fork', at_seq: message.at_seq ?? null, summary: message.summary };
  if (message.type === 'edit_prompt') return { kind: 'edit', seq: message.seq };
  if (message.type === 'new_session')
    return asMessage({ v: 1, type: 'run_action', command: COMMANDS.newSession });
  if (message.type !== 'open_session' || message.session_id === sessionId) return asMessage(message);
  const args = [message.session_id];
  return asMessage({ v: 1, type: 'run_action', command: COMMANDS.openSession, args });
}

function asMessage(message: PresenterMessage): PanelWork {
  return { kind: 'message', message };
}

/** The commands of VS Code are about the chat: what is meant here is said here. */
function actionWork(message: Action, sessionId: string): PanelWork {
  const { command } = message;
  const args = listOf(message.args);
  switch (command) {
    case COMMANDS.stop:
      return asMessage({ v: 1, type: 'stop' });
    case COMMANDS.takeOver:
      return asMessage({ v: 1, type: 'take_over' });
    case COMMANDS.reopenSession:
      return asMessage({ v: 1, type: 'open_session', session_id: sessionId });
    case COMMANDS.compact:
    case COMMANDS.compactDryRun:
      return asMessage({ v: 1, type: 'compact', dry_run: command === COMMANDS.compactDryRun });
    case COMMANDS.undoTurn:
      return { kind: 'undo', way: 'undo' };
    case COMMANDS.redoTurn:
      return { kind: 'undo', way: 'redo' };
    case COMMANDS.mergeUndo: {
      const place = mergePlaceOf(args[0]);
      return asMessage(place === null ? message : { v: 1, type: 'merge_undo', ...place });
    }
    case COMMANDS.fork:
      return (sessionIdIn(args[0]) ?? sessionId) === sessionId
        ? { kind: 'fork', at_seq: null, summary: false }
        : asMessage(message);
    case COMMANDS.revealInChat: {
      const place = parseChatPlace(args[0]);
      return place === null ? asMessage(message) : { kind: 'reveal', place };
    }
    default:
      return asMessage(
        ABOUT_A_SESSION.has(command) ? { ...message, args: withSession(args, sessionId) } : message,
      );
  }
}

function listOf(args: unknown): readonly unknown[] {
  return args === undefined ? [] : Array.isArray(args) ? args : [args];
}

function withSession([place, ...more]: readonly unknown[], session_id: string): readonly unknown[] {
  if (place === undefined || place === null) return [{ session_id }, ...more];
  const isPlace = typeof place === 'object' && !Array.isArray(place);
  return [isPlace ? { session_id, ...place } : place, ...more];
}
