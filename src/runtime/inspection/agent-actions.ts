import type { NextAction } from '../events.ts';
import { isOpenChild, type SubagentTrace } from './child-traces.ts';

/** What a person can do about a child or a workflow. Logs have the same, where a state is final. */

export function openTranscript(child_session_id: string): NextAction {
  return { label: 'Open transcript', command: 'ledgerline.openAgent', args: [child_session_id] };
}

function onChild(label: string, command: string, session_id: string, subagent_id: string): NextAction {
  return { label, command, args: [{ session_id, subagent_id }] };
}

export function resumeChild(session_id: string, subagent_id: string): NextAction {
  return onChild('Resume', 'ledgerline.resumeAgent', session_id, subagent_id);
}

export function discardChild(session_id: string, subagent_id: string): NextAction {
  return onChild('Discard', 'ledgerline.discardAgent', session_id, subagent_id);
}

function stopChild(session_id: string, subagent_id: string): NextAction {
  return onChild('Stop', 'ledgerline.stopAgent', session_id, subagent_id);
}

export function resumeWorkflow(session_id: string, workflow_id: string): NextAction {
  return {
    label: 'Resume workflow',
    command: 'ledgerline.resumeWorkflow',
    args: [{ session_id, workflow_id }],
  };
}

export function decideInChat(turn_id: string): NextAction {
  const args = [{ what: 'decision', turn_id }];
  return { label: 'Decide in chat', command: 'ledgerline.revealInChat', args };
}

/** Transcripts of attempts before the present one that are offered: the last ones. */
const ATTEMPTS_OFFERED = 3;

/** What can be done about a child as it is now; `live` where a process has it in hand. */
export function childActions(
  session_id: string,
  child: SubagentTrace,
  { live }: { readonly live: boolean },
): readonly NextAction[] {
  const { subagent_id, child_session_id, turn_id, workflow_id, state, attempts } = child;
  const open = child_session_id === null ? [] : [openTranscript(child_session_id)];
  const earlier = attempts
    .slice(-ATTEMPTS_OFFERED)
    .flatMap(({ attempt, child_session_id: id }) =>
      id === null || id === child_session_id
        ? []
        : [{ ...openTranscript(id), label: `Open transcript of attempt ${attempt}` }],
    );
  if (isOpenChild(child)) {
    const decide = state === 'waiting' && turn_id !== null ? [decideInChat(turn_id)] : [];
    return [...decide, ...open, ...(live ? [stopChild(session_id, subagent_id)] : []), ...earlier];
  }
  if (state !== 'detached') return together(child.next_actions, open, earlier);
  // One of a workflow goes on with that.
  return workflow_id === null
    ? together(
        child.next_actions,
        [resumeChild(session_id, subagent_id), ...open, discardChild(session_id, subagent_id)],
        earlier,
      )
    : together([resumeWorkflow(session_id, workflow_id)], child.next_actions, open, earlier);
}

/** One after the other, each once: the same command on the same thing is the same, whatever it is called. */
export function together(...lists: readonly (readonly NextAction[])[]): readonly NextAction[] {
  const all = new Map<string, NextAction>();
  for (const action of lists.flat()) {
    const key = `${action.command} ${JSON.stringify(action.args) ?? ''}`;
    if (!all.has(key)) all.set(key, action);
  }
  return [...all.values()];
}
