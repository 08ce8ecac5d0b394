import type { CallEntry } from '../call-entry.ts';
import type { DrawnEntry } from '../drawn-entries.ts';
import type { AgentEntry } from './placing.ts';

/** So many cards may stand below each other; more of them are a list. */
export const HANDFUL = 5;

export interface AgentRun {
  readonly kind: 'run';
  readonly key: string;
  readonly agents: readonly AgentEntry[];
  /** The calls that asked for them: in the list, each child stands for its own. */
  readonly calls: readonly CallEntry[];
}

/** Pure: many children that were asked for in a row are drawn as one list. */
export function withRuns(drawn: readonly DrawnEntry[]): readonly (DrawnEntry | AgentRun)[] {
  const found: (DrawnEntry | AgentRun)[] = [];
  let row: DrawnEntry[] = [];
  const close = (): void => {
    found.push(...runOf(row));
    row = [];
  };
  for (const one of drawn) {
    if (!isOfRun(one)) close();
    if (isOfRun(one)) row.push(one);
    else found.push(one);
  }
  close();
  return found;
}

function isOfRun({ entry }: DrawnEntry): boolean {
  return entry.kind === 'agent' || (entry.kind === 'call' && entry.name === 'spawn_agent');
}

function runOf(row: readonly DrawnEntry[]): readonly (DrawnEntry | AgentRun)[] {
  const agents = row.flatMap(({ entry }) => (entry.kind === 'agent' ? [entry] : []));
  const [first] = agents;
  const asked = new Set(agents.map(({ call_id }) => call_id));
  const coming = row.filter(
    ({ entry }) => entry.kind === 'call' && !asked.has(entry.call_id) && isOpen(entry),
  );
  // Those that are about to come count: lines that go as children come would move all that is below.
  if (agents.length + coming.length <= HANDFUL || first === undefined) return row;
  // A call that brought nothing forth, or waits for a person, keeps its line.
  const isTaken = ({ entry }: DrawnEntry): boolean =>
    entry.kind === 'call' && (isOpen(entry) || (asked.has(entry.call_id) && entry.result?.ok === true));
  const calls = row.flatMap((one) => (one.entry.kind === 'call' && isTaken(one) ? [one.entry] : []));
  const others = row.filter((one) => one.entry.kind === 'call' && !isTaken(one));
  return [...others, { kind: 'run', key: `run ${first.subagent_id}`, agents, calls }];
}

const OPEN_STATES: ReadonlySet<string> = new Set(['new', 'running', 'resuming']);

function isOpen({ result, state }: CallEntry): boolean {
  return result === null && OPEN_STATES.has(state);
}
