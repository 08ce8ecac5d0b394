import type { AgentStanding, Answered } from '../../runtime/agents/agents-port.ts';
import { field, wordsOrNull } from '../../runtime/loose-fields.ts';
import type { AgentDesk } from './agent-desk.ts';

/** What a person does about a child. */
export interface AgentAction {
  readonly kind: 'agent';
  readonly what: 'stop' | 'resume' | 'discard';
  readonly subagent_id: string;
}

const ACTIONS = {
  'ledgerline.stopAgent': 'stop',
  'ledgerline.resumeAgent': 'resume',
  'ledgerline.discardAgent': 'discard',
} as const satisfies Record<string, AgentAction['what']>;

/** Null where no child of that session is named. */
export function agentAction(
  command: keyof typeof ACTIONS,
  args: unknown,
  sessionId: string,
): AgentAction | null {
  const subagent_id = named(args, sessionId, 'subagent_id');
  return subagent_id === null ? null : { kind: 'agent', what: ACTIONS[command], subagent_id };
}

/** Null where no workflow of that session is named. */
export function workflowIn(args: unknown, sessionId: string): string | null {
  return named(args, sessionId, 'workflow_id');
}

function named(args: unknown, sessionId: string, what: string): string | null {
  const given: unknown = Array.isArray(args) ? args[0] : args;
  const of = field(given, 'session_id');
  return of === undefined || of === sessionId ? wordsOrNull(given, what) : null;
}

export function carriedOut(
  desk: AgentDesk,
  what: AgentAction['what'],
  subagentId: string,
): Promise<Answered<AgentStanding>> {
  switch (what) {
    case 'stop':
      return desk.end(subagentId, { status: 'cancelled', reason: 'The person stopped it.' });
    case 'resume':
      return desk.resume(subagentId);
    case 'discard':
      return desk.end(subagentId, { status: 'closed', reason: 'The person discarded it.' });
  }
}
