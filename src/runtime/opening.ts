import { draft, type Attachment, type Draft } from './events.ts';
import type { RunSettings } from './extension.ts';
import { interruptionNote } from './interruption-note.ts';
import { PROMPT_CONTRACT_VERSION } from './prompt/contract.ts';
import type { SessionState } from './session-state.ts';

export interface Prompt {
  readonly client_turn_id: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** For a turn that is answered with words alone. What runs it brings no tools. */
  readonly tools?: 'none' | undefined;
  /** A call that the person makes with it: the turn begins with that, and the model is asked afterwards. */
  readonly call?: { readonly name: string; readonly args: string } | undefined;
  /** Of the first one of a child: whose it is. */
  readonly child?: ChildOrigin | undefined;
}

/** Where a child's session comes from. */
export interface ChildOrigin {
  readonly parent_session_id: string;
  readonly subagent_id: string;
  readonly agent: string;
  readonly depth: number;
}

/** Pure: the events that begin a turn, in one commit: nothing is asked of anyone before they are durable. */
export function opening(
  state: SessionState,
  prompt: Prompt,
  settings: RunSettings,
  ids: { readonly turn_id: string; readonly app_version: string },
): readonly Draft[] {
  const { turn_id, app_version } = ids;
  const { client_turn_id, text, attachments, tools, call, child } = prompt;
  const limits = tools === undefined ? {} : { tools };
  const { workspace, branch, permission_mode } = settings;
  const drafts: Draft[] = [];
  if (state.last_seq < 0) {
    drafts.push(
      draft('session_started', {
        client_turn_id,
        workspace,
        app_version,
        prompt_contract_version: PROMPT_CONTRACT_VERSION,
        permission_mode,
        fork_root_session_id: state.fork_root_session_id,
        ...child,
      }),
    );
  }
  const last = state.context;
  if (last?.workspace !== workspace || last.branch !== branch || last.permission_mode !== permission_mode) {
    drafts.push(draft('developer_context', { client_turn_id, workspace, branch, permission_mode }));
  }
  const note = interruptionNote(state.turn, { turn_id, client_turn_id });
  if (note !== null) drafts.push(note);
  drafts.push(
    draft('user_message', { turn_id, text, client_turn_id, attachments, ...limits }),
    draft('run_status', { turn_id, client_turn_id, status: 'running' }),
  );
  if (call !== undefined) {
    // No stream asked for it: it has a name of its own all the same, by which its events belong together.
    const place = { turn_id, client_turn_id, stream_run_id: `user_${turn_id}` };
    const only = { output_index: 0, output_count: 1, call_id: `call_${turn_id}` };
    drafts.push(draft('tool_call', { ...place, ...only, ...call, called_by: 'user' }));
  }
  return drafts;
}
