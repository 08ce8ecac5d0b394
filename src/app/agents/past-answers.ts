import type { Decision } from '../../runtime/decisions.ts';
import type { DecideOutcome } from '../../runtime/session-ports.ts';

/** What people have answered to children. Their calls may be settled by now, and their logs closed: an answer may come again. */
export class PastAnswers {
  private readonly made = new Map<string, Pick<Decision, 'target_id' | 'action'>>();
  private readonly settled = new Set<string>();

  note({ decision_id, target_id, action }: Decision): void {
    this.made.set(decision_id, { target_id, action });
    this.settled.add(target_id);
  }

  /** The same again changes nothing, and another one is too late; null where nothing is known of it. */
  repeated({ decision_id, target_id, action }: Decision): DecideOutcome | null {
    const past = this.made.get(decision_id);
    if (past === undefined)
      return this.settled.has(target_id)
        ? refused('already_settled', `What was asked as ${target_id} has been settled.`)
        : null;
    return past.target_id === target_id && past.action === action
      ? { kind: 'duplicate', call_id: null }
      : refused('decision_id_reused', `The decision ${decision_id} has been made about something else.`);
  }
}

function refused(code: string, message: string): DecideOutcome {
  return { kind: 'refused', code, message: `${message} Nothing was changed.` };
}
