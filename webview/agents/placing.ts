import type { Item } from '../../src/presenter/protocol.ts';
import { stringIn } from '../fields.ts';
import { wordsOrNull } from './reported.ts';

/** Where the card of a child stands in the conversation. What it says is in the fold of the crew. */
export interface AgentEntry {
  readonly kind: 'agent';
  readonly seq: number;
  readonly subagent_id: string;
  /** The call that asked for it; null where none is named. */
  readonly call_id: string | null;
}

/** Where the card of a workflow stands; its children are in it. */
export interface WorkflowEntry {
  readonly kind: 'workflow';
  readonly seq: number;
  readonly workflow_id: string;
  readonly call_id: string | null;
}

export type MemberEntry = AgentEntry | WorkflowEntry;

export function isOfCrew({ type }: Item): boolean {
  return type === 'subagent_event' || type === 'workflow_event';
}

/** Null for an event that gives nobody a place: what the parent's model is told comes in whichever turn there is. */
export function memberEntry({ seq, type, data }: Item): MemberEntry | null {
  const workflow_id = wordsOrNull(data, 'workflow_id');
  const subagent_id = wordsOrNull(data, 'subagent_id');
  if (type === 'subagent_event' && stringIn(data, 'event') === 'delivered') return null;
  // The call that its child names is the step's, if any.
  if (workflow_id !== null)
    return {
      kind: 'workflow',
      seq,
      workflow_id,
      call_id: type === 'workflow_event' ? wordsOrNull(data, 'call_id') : null,
    };
  if (subagent_id === null) return null;
  return { kind: 'agent', seq, subagent_id, call_id: wordsOrNull(data, 'call_id') };
}

interface Placed {
  readonly kind: string;
  readonly call_id?: string | null;
  readonly subagent_id?: string;
  readonly workflow_id?: string;
}

/** Pure: after the line of the call that asked for it, else at the end; the same list when it stands there already. */
export function withMember<E extends Placed>(
  entries: readonly (E | MemberEntry)[],
  entry: MemberEntry,
): readonly (E | MemberEntry)[] {
  if (holds(entries, entry)) return entries;
  const { call_id } = entry;
  const after =
    call_id === null ? -1 : entries.findLastIndex((one) => one.call_id === call_id && PLACES.has(one.kind));
  return after < 0 ? [...entries, entry] : entries.toSpliced(after + 1, 0, entry);
}

export function holds(entries: readonly Placed[], entry: MemberEntry): boolean {
  return entries.some((one) => isMember(one, entry));
}

const PLACES: ReadonlySet<string> = new Set(['call', 'agent', 'workflow']);

function isMember(one: Placed, entry: MemberEntry): boolean {
  if (one.kind !== entry.kind) return false;
  return entry.kind === 'agent'
    ? one.subagent_id === entry.subagent_id
    : one.workflow_id === entry.workflow_id;
}
