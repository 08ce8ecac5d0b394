import { draft, type Attachment, type KnownEvent } from '../runtime/events.ts';
import type { ActiveSkill } from '../runtime/ports.ts';
import type { Session } from '../runtime/session.ts';
import { targetOf, type OpenCall } from '../runtime/turn-calls.ts';
import { turnState } from '../runtime/turn.ts';
import { endRecorded } from '../tools/recorded-process.ts';
import { agentAction, workflowIn, type AgentAction } from './agents/agent-actions.ts';
import { nodeHasher, nodeIds } from './node-ports.ts';
import type { OpenedSession } from './open-session.ts';

/** Next actions that a conversation carries out by itself, in every presenter. */
export type OwnAction =
  | {
      readonly kind: 'send';
      readonly client_turn_id: string;
      readonly text: string;
      readonly attachments: Attachment[];
      /** That of the turn which is tried again or goes on. */
      readonly tools?: 'none' | undefined;
      /** The one that the turn was given which is tried again. */
      readonly skill?: ActiveSkill | undefined;
    }
  /** It was for a turn that others have followed since. */
  | { readonly kind: 'outdated' }
  | { readonly kind: 'reopen' }
  | { readonly kind: 'compact'; readonly dry_run: boolean }
  | { readonly kind: 'end_process'; readonly call: OpenCall }
  | AgentAction
  | { readonly kind: 'workflow'; readonly client_turn_id: string; readonly workflow: unknown }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

function refused(code: string, message: string): OwnAction {
  return { kind: 'refused', code, message };
}

/** Null for what is not one of them. */
export async function ownAction(
  command: string,
  args: unknown,
  opened: OpenedSession,
): Promise<OwnAction | null> {
  switch (command) {
    case 'ledgerline.continueTurn': {
      if (isOutdated(args, opened)) return { kind: 'outdated' };
      const client_turn_id = idAfter('continued', opened);
      const tools = (await lastPrompt(opened))?.tools;
      return { kind: 'send', client_turn_id, text: 'Continue.', attachments: [], tools };
    }
    case 'ledgerline.retryTurn': {
      if (isOutdated(args, opened)) return { kind: 'outdated' };
      const prompt = await lastPrompt(opened);
      if (prompt === null) return refused('nothing_to_retry', 'There is no message to send again.');
      const { text, attachments, tools } = prompt;
      const client_turn_id = idAfter('retry', opened);
      const again = { client_turn_id, text, attachments: [...attachments], tools };
      return { kind: 'send', ...again, skill: await lastSkill(opened) };
    }
    case 'ledgerline.reopenSession':
      return { kind: 'reopen' };
    case 'ledgerline.compact':
    case 'ledgerline.compactDryRun':
      return { kind: 'compact', dry_run: command === 'ledgerline.compactDryRun' };
    case 'ledgerline.endProcess': {
      const { turn } = opened.state;
      const target = targetIn(args);
      const call = turn === null || target === null ? undefined : targetOf(turn, target);
      if (call?.process) return { kind: 'end_process', call };
      return refused('unknown_target', 'No process is known under that name.');
    }
    case 'ledgerline.stopAgent':
    case 'ledgerline.resumeAgent':
    case 'ledgerline.discardAgent':
      return (
        agentAction(command, args, opened.id) ??
        refused('unknown_target', 'No agent of this session is named.')
      );
    case 'ledgerline.resumeWorkflow': {
      const workflow_id = workflowIn(args, opened.id);
      if (workflow_id === null) return refused('unknown_target', 'No workflow of this session is named.');
      if (goesOn(workflow_id, opened)) return { kind: 'outdated' };
      const client_turn_id = `${idAfter('resumed', opened)}-${workflow_id}`;
      return { kind: 'workflow', client_turn_id, workflow: { resume: workflow_id } };
    }
    case 'workbench.action.openSettings': {
      const setting = Array.isArray(args) ? String(args[0]) : String(args);
      const name = setting.replace(/^ledgerline\./, '');
      return refused(
        'not_available',
        `Settings are given when this presenter starts: --set ${name}=<value>.`,
      );
    }
    default:
      return null;
  }
}

/** Always the same for a turn: asked for twice, it is done once. */
function idAfter(what: 'retry' | 'continued' | 'resumed', { state: { turn } }: OpenedSession): string {
  return turn === null ? nodeIds.next('turn') : `${what}-${turn.turn_id}`;
}

/** It runs, or a turn that is to go on with it has just begun: what was asked for twice is done once. */
function goesOn(workflowId: string, { state: { turn, workflows } }: OpenedSession): boolean {
  if (workflows.some((one) => one.workflow_id === workflowId && one.status === 'running')) return true;
  if (turn === null || turnState(turn) !== 'running') return false;
  return turn.client_turn_id.startsWith('resumed-') && turn.client_turn_id.endsWith(`-${workflowId}`);
}

/** Whoever does not say which turn is meant means the last one. */
function isOutdated(args: unknown, { state: { turn } }: OpenedSession): boolean {
  const meant: unknown = Array.isArray(args) ? args[0] : undefined;
  return typeof meant === 'string' && meant !== turn?.turn_id;
}

/** Also of a turn that is longer than the window. */
async function lastPrompt(opened: OpenedSession): Promise<KnownEvent<'user_message'>['data'] | null> {
  const { turn } = opened.state;
  if (turn === null) return null;
  const { events } = await opened.before(turn.user_seq + 1);
  const found = events.findLast((event) => event.type === 'user_message');
  return found?.data.turn_id === turn.turn_id ? found.data : null;
}

/** As it was when it was called for. One that is not whole in its line is to be read again. */
async function lastSkill(opened: OpenedSession): Promise<ActiveSkill | undefined> {
  const { turn } = opened.state;
  if (turn === null) return undefined;
  const { events } = await opened.after(turn.user_seq);
  const found = events.find((event) => event.type === 'skill_activation')?.data;
  const isCalled = found?.turn_id === turn.turn_id && found.activated_by === 'user';
  return isCalled && nodeHasher.sha256(found.content) === found.content_hash ? found : undefined;
}

function targetIn(args: unknown): string | null {
  const found: unknown = Array.isArray(args) ? args[0] : args;
  if (typeof found !== 'object' || found === null || !('target_id' in found)) return null;
  return typeof found.target_id === 'string' ? found.target_id : null;
}

/** On record before it is done. Answers whether it is gone. */
export async function endProcess(session: Session, { name, process, call_id }: OpenCall): Promise<boolean> {
  const { turn } = session.state;
  if (process === null || turn === null) return true;
  await session.note([
    draft('diagnostic', {
      turn_id: turn.turn_id,
      code: 'process_end_requested',
      message: `Process ${process.pid}, which ${name} had started, is ended on request.`,
      details: { call_id, process },
      next_actions: [],
    }),
  ]);
  return (await endRecorded(process)) === 'ended';
}
