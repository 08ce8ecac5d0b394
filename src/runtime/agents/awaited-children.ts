import type { Turn } from '../turn.ts';

/** Tools that do nothing but wait for children. */
const WAITING: ReadonlySet<string> = new Set(['wait_agent', 'run_workflow']);

/** Pure: whether a turn can do nothing before a child of it has ended. */
export function awaitsChildren(turn: Turn): boolean {
  if (turn.run !== 'running' || turn.open_children.size === 0) return false;
  const open = [...turn.open.values()];
  return open.length === 0
    ? turn.over_children || turn.answered
    : open.every(({ name, state }) => state === 'running' && WAITING.has(name));
}
