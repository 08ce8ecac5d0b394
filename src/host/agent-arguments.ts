import { isSessionId } from '../storage/session-paths.ts';
import { COMMANDS } from './contribution-ids.ts';

/** A child or a workflow, by the session that it works for. */
export type AgentTarget =
  | { readonly session_id: string; readonly subagent_id: string }
  | { readonly session_id: string; readonly workflow_id: string };

const LONGEST_ID = 200;

/** Which of the two a command is about; undefined for commands about neither. */
const ABOUT: ReadonlyMap<string, 'subagent_id' | 'workflow_id'> = new Map([
  [COMMANDS.stopAgent, 'subagent_id'],
  [COMMANDS.resumeAgent, 'subagent_id'],
  [COMMANDS.discardAgent, 'subagent_id'],
  [COMMANDS.resumeWorkflow, 'workflow_id'],
]);

export function isAboutAgents(command: string): boolean {
  return ABOUT.has(command);
}

/** Pure: what a command about a child or a workflow was called with. Null for all that is not exactly that. */
export function parseAgentTarget(command: string, args: readonly unknown[]): AgentTarget | null {
  const about = ABOUT.get(command);
  const [value] = args;
  if (about === undefined || args.length !== 1 || typeof value !== 'object' || value === null) return null;
  const fields = new Map<string, unknown>(Object.entries(value));
  const [session_id, id] = [fields.get('session_id'), fields.get(about)];
  if (fields.size !== 2 || typeof session_id !== 'string' || !isSessionId(session_id)) return null;
  if (typeof id !== 'string' || id === '' || id.length > LONGEST_ID) return null;
  return about === 'subagent_id' ? { session_id, subagent_id: id } : { session_id, workflow_id: id };
}
