import { isSessionId } from '../storage/session-paths.ts';

/**
 * What the commands of diagnostics take. It comes from menus, logs and pages: what does not fit is refused.
 * Written out by hand, because this is loaded when VS Code starts and a schema library is not.
 */

export interface LogPlaceArgument {
  readonly session_id?: string;
  readonly seq?: number;
  /** Counted from 1, as editors do. */
  readonly line?: number;
}

export interface RequestPlaceArgument {
  readonly session_id?: string;
  /** The last event that the request is made of; without it, the next request. */
  readonly at_seq?: number;
}

export interface ChatPlaceArgument {
  readonly what: 'decision' | 'turn';
  readonly turn_id: string;
}

type Fields = ReadonlyMap<string, unknown>;

/** Nothing, the id of a session, or a place. Null for anything else. */
export function parseLogPlace(value: unknown): LogPlaceArgument | null {
  const fields = fieldsOf(value);
  if (fields === null || !fits(fields, 'session_id', isSession)) return null;
  if (!fits(fields, 'seq', isFrom(0)) || !fits(fields, 'line', isFrom(1))) return null;
  return { ...picked(fields, 'session_id'), ...picked(fields, 'seq'), ...picked(fields, 'line') };
}

export function parseRequestPlace(value: unknown): RequestPlaceArgument | null {
  const fields = fieldsOf(value);
  if (fields === null || !fits(fields, 'session_id', isSession) || !fits(fields, 'at_seq', isFrom(-1)))
    return null;
  return { ...picked(fields, 'session_id'), ...picked(fields, 'at_seq') };
}

export function parseChatPlace(value: unknown): ChatPlaceArgument | null {
  const fields = fieldsOf(value);
  const turn_id = fields?.get('turn_id');
  const what = fields?.get('what') ?? 'turn';
  if (typeof turn_id !== 'string' || turn_id === '' || turn_id.length > 200) return null;
  return what === 'turn' || what === 'decision' ? { what, turn_id } : null;
}

export function fieldsOf(value: unknown): Fields | null {
  if (value === undefined || value === null) return new Map();
  if (typeof value === 'string') return new Map([['session_id', value]]);
  return typeof value === 'object' && !Array.isArray(value) ? new Map(Object.entries(value)) : null;
}

function isSession(value: unknown): boolean {
  return typeof value === 'string' && isSessionId(value);
}

function isFrom(least: number): (value: unknown) => boolean {
  return (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
}

/** A field that is missing fits. */
function fits(fields: Fields, name: string, rule: (value: unknown) => boolean): boolean {
  const value = fields.get(name);
  return value === undefined || rule(value);
}

/** Its type is what `fits` has asked for. */
function picked(fields: Fields, name: 'session_id'): { session_id?: string };
function picked<N extends 'seq' | 'line' | 'at_seq'>(fields: Fields, name: N): { [K in N]?: number };
function picked(fields: Fields, name: string): Record<string, unknown> {
  const value = fields.get(name);
  return value === undefined ? {} : { [name]: value };
}
