import { familyNodes } from './child-nodes.ts';
import type { Check, Diagnosis } from './diagnosis.ts';
import { compactionNode } from './compaction-trace.ts';
import { nextActions, numberOrNull, wordsOrNull } from '../loose-fields.ts';
import type { Family } from './families.ts';
import { findingsOf, findingWords } from './findings.ts';
import type { NodeState } from './node-state.ts';
import type { SessionTrace } from './session-tree.ts';
import { joined, sentence, told, type Sentence } from './spoken-words.ts';
import { node, type TreeNode } from './tree-node.ts';
import { diagnosticNodes, turnNodes } from './turn-nodes.ts';
import { stateOf, type TurnTrace } from './turn-trace.ts';

export interface TreeInput {
  readonly trace: SessionTrace;
  /** Turns before those of the trace that were asked for, oldest first. */
  readonly earlier: readonly TurnTrace[];
  readonly diagnosis: Diagnosis;
  /** A live process has the log. */
  readonly live: boolean;
}

const FINDINGS_SHOWN = 50;

/**
 * Builds the whole tree of a session, newest turn first. Turns that did not change keep their nodes from one
 * time to the next: what it costs is what changed.
 */
export class SessionTreeNodes {
  private kept = new Map<TurnTrace, { readonly key: string; readonly nodes: readonly TreeNode[] }>();

  /** Empty for an empty log. */
  build(input: TreeInput): ReadonlyMap<string, TreeNode> {
    const { trace, earlier } = input;
    if (trace.events === 0 && input.diagnosis.ok) return new Map();
    const turns = [...earlier, ...trace.turns].toReversed();
    const turnParts = this.turnParts(turns, input);
    const { session_id } = trace;
    const under = { session_id, parent: 'session', turn_id: null, settled: false, live: input.live };
    const others = familyNodes(without(trace, earlier), under);
    const compactions = trace.compactions.toReversed().map((one) => compactionNode(one, under));
    const warnings = warningNodes(input);
    const before = earlierTurns((trace.turn_count ?? 0) - turns.length);
    const all = [...warnings, ...others, ...compactions, ...turnParts.flat(), ...before];
    const inTime = newestFirst([...compactions, ...ofSession(turnParts.flat())]);
    const children = [...ofSession(warnings), ...ofSession(others), ...inTime, ...before].map(({ id }) => id);
    const nodes = [sessionNode(input, children), ...all];
    return new Map(nodes.map((one) => [one.id, one]));
  }

  private turnParts(turns: readonly TurnTrace[], input: TreeInput): readonly (readonly TreeNode[])[] {
    const before = this.kept;
    this.kept = new Map();
    return turns.map((turn, index) => {
      const place = { session_id: input.trace.session_id, last: index === 0, live: input.live };
      const key = `${place.last} ${place.live}`;
      const known = before.get(turn);
      const nodes = known?.key === key ? known.nodes : turnNodes(turn, place);
      this.kept.set(turn, { key, nodes });
      return nodes;
    });
  }
}

/** What is shown with a turn that was asked for is not shown once more. */
function without(family: Family, turns: readonly TurnTrace[]): Family {
  if (turns.length === 0) return family;
  const children = new Set(turns.flatMap(({ subagents }) => subagents.map(({ subagent_id }) => subagent_id)));
  const flows = new Set(turns.flatMap(({ workflows }) => workflows.map(({ workflow_id }) => workflow_id)));
  const subagents = family.subagents.filter(({ subagent_id }) => !children.has(subagent_id));
  const workflows = family.workflows.filter(({ workflow_id }) => !flows.has(workflow_id));
  return {
    subagents,
    workflows,
    subagent_count: subagents.length,
    workflow_count: workflows.length,
  };
}

function ofSession(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return nodes.filter(({ parent }) => parent === 'session');
}

/** Checkpoints stand between the turns where they were made. */
function newestFirst(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return nodes.toSorted((a, b) => (b.seq ?? 0) - (a.seq ?? 0));
}

function sessionNode({ trace, diagnosis, live }: TreeInput, children: readonly string[]): TreeNode {
  const last = trace.turns.at(-1);
  const state: NodeState =
    diagnosis.status === 'blocked' ? 'blocked' : last === undefined ? 'ok' : overall(last, live);
  const { events, last_seq, started_seq, fork, turn_count: turns } = trace;
  const evidence = [
    sentence('{0}, last at seq {1}.', eventCount(events), last_seq),
    ...(started_seq === null ? [] : [sentence('Started at seq {0}.', started_seq)]),
    ...(fork === null
      ? []
      : [sentence('Forked at seq {0}, from {1} up to its seq {2}.', fork.seq, fork.parent, fork.to_seq)]),
    live ? sentence('A live process has the log.') : sentence('No live process has the log.'),
    sentence('Session {0}', trace.session_id),
  ];
  return node({
    id: 'session',
    parent: null,
    kind: 'session',
    state,
    label: trace.title === '' ? sentence('Session') : trace.title,
    detail: joined([...(turns === null ? [] : [turnCount(turns)]), eventCount(events)]),
    evidence,
    seq: events === 0 ? null : 0,
    children,
    open: true,
  });
}

function overall(last: TurnTrace, live: boolean): NodeState {
  const state = stateOf(last);
  return state === 'running' && !live ? 'stale' : state;
}

function warningNodes({ diagnosis, trace }: TreeInput): readonly TreeNode[] {
  const parent = 'warnings';
  const checks = diagnosis.checks
    .filter(({ status }) => status !== 'ok')
    .toSorted((a, b) => Number(b.status === 'blocked') - Number(a.status === 'blocked'))
    .flatMap((check) => checkNodes(check, parent));
  const below = [...checks, ...diagnosticNodes(trace.diagnostics, parent, null)];
  if (below.length === 0) return [];
  const direct = below.filter((one) => one.parent === parent);
  const blocked = diagnosis.status === 'blocked';
  const self = node({
    id: parent,
    parent: 'session',
    kind: 'warnings',
    state: blocked ? 'blocked' : 'attention',
    label: sentence('Warnings'),
    detail: String(direct.length),
    evidence: [
      blocked
        ? sentence('Something in the log is damaged.')
        : sentence('The session is ready, with warnings.'),
    ],
    children: direct.map(({ id }) => id),
    open: blocked,
  });
  return [self, ...below];
}

function checkNodes(check: Check, parent: string): readonly TreeNode[] {
  const id = `check:${check.id}`;
  const findings = findingsOf(check);
  const shown = findings.slice(0, FINDINGS_SHOWN).map((finding, index) => findingNode(finding, check, index));
  const self = node({
    id,
    parent,
    kind: 'check',
    state: check.status === 'blocked' ? 'blocked' : 'attention',
    label: told(check.message),
    detail: check.id,
    evidence: findings.slice(0, 5).map(findingWords),
    ...placeOf(findings[0]),
    next_actions: check.next_actions,
    children: shown.map((one) => one.id),
    open: check.status === 'blocked',
  });
  return [self, ...shown];
}

function findingNode(finding: object, check: Check, index: number): TreeNode {
  const parent = `check:${check.id}`;
  return node({
    id: `${parent}/${index}`,
    parent,
    kind: 'finding',
    state: check.status === 'blocked' ? 'blocked' : 'attention',
    label: findingWords(finding),
    ...placeOf(finding),
    turn_id: wordsOrNull(finding, 'turn_id'),
    next_actions: check.status === 'blocked' ? check.next_actions.slice(1) : nextActions(finding),
  });
}

function placeOf(finding: object | undefined): Pick<TreeNode, 'seq' | 'line'> {
  if (finding === undefined) return { seq: null, line: null };
  return { seq: numberOrNull(finding, 'seq'), line: numberOrNull(finding, 'line') };
}

function earlierTurns(missing: number): readonly TreeNode[] {
  if (missing <= 0) return [];
  return [
    node({
      id: 'earlier',
      parent: 'session',
      kind: 'earlier_turns',
      state: 'ok',
      label: sentence('Show earlier turns'),
      detail: turnCount(missing),
    }),
  ];
}

function turnCount(n: number): Sentence {
  return n === 1 ? sentence('1 turn') : sentence('{0} turns', { count: n });
}

function eventCount(n: number): Sentence {
  return n === 1 ? sentence('1 event') : sentence('{0} events', { count: n });
}
