import type { NextAction } from '../events.ts';
import { oneLine } from './one-line.ts';
import type { NodeState } from './node-state.ts';
import { told, type Words } from './spoken-words.ts';

const LONGEST_LABEL = 200;

export type NodeKind =
  | 'session'
  | 'warnings'
  | 'check'
  | 'finding'
  | 'diagnostic'
  | 'turn'
  | 'call'
  | 'subagent'
  | 'workflow'
  | 'step'
  | 'compaction'
  | 'earlier_calls'
  | 'more'
  | 'earlier_turns';

/** One line of the diagnostics tree, as plain data: what it says, what proves it, what can be done. */
export interface TreeNode {
  /** Stays the same for the same thing, so that what is open stays open. */
  readonly id: string;
  readonly parent: string | null;
  readonly kind: NodeKind;
  readonly state: NodeState;
  readonly label: Words;
  /** What its state means here, after the phrase of the state; may be empty. */
  readonly detail: Words;
  readonly evidence: readonly Words[];
  /** The event, or where there is none the line, that it is about. */
  readonly seq: number | null;
  readonly line: number | null;
  readonly turn_id: string | null;
  /** The child that it is; null where it is none. */
  readonly subagent_id: string | null;
  /** The last event that the request behind it was made of; null where no request is behind it. */
  readonly request_at: number | null;
  /** The last event of a fork that has all of it; null where there is nothing to fork from. */
  readonly fork_at: number | null;
  /** The session of its own that a child has. */
  readonly child_session_id: string | null;
  readonly next_actions: readonly NextAction[];
  /** Ids, in the order shown. */
  readonly children: readonly string[];
  /** Open from the start. */
  readonly open: boolean;
}

export type NodeDraft = Pick<TreeNode, 'id' | 'parent' | 'kind' | 'state' | 'label'> & Partial<TreeNode>;

export function node(draft: NodeDraft): TreeNode {
  return {
    detail: '',
    evidence: [],
    seq: null,
    line: null,
    turn_id: null,
    subagent_id: null,
    request_at: null,
    fork_at: null,
    child_session_id: null,
    next_actions: [],
    children: [],
    open: false,
    ...draft,
    label: onOneLine(draft.label),
  };
}

function onOneLine(label: Words): Words {
  if (typeof label === 'string') return oneLine(label, LONGEST_LABEL);
  return typeof label === 'object' && 'told' in label ? told(oneLine(label.told, LONGEST_LABEL)) : label;
}
