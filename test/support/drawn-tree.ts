import type { LogEvent } from '../../src/runtime/events.ts';
import { DiagnosisFold, type LogFacts } from '../../src/runtime/inspection/diagnosis.ts';
import {
  applyToSessionTrace,
  emptyTrace,
  type SessionTrace,
} from '../../src/runtime/inspection/session-tree.ts';
import { inEnglish } from '../../src/runtime/inspection/spoken-words.ts';
import type { TreeNode } from '../../src/runtime/inspection/tree-node.ts';
import { SessionTreeNodes } from '../../src/runtime/inspection/tree-nodes.ts';
import { SOUND } from './log-facts.ts';

/** The tree of a session as a person sees it. */

export function traced(events: readonly LogEvent[]): SessionTrace {
  return events.reduce((trace, event) => applyToSessionTrace(trace, event), emptyTrace('s1'));
}

export function treeOf(
  { events }: { readonly events: readonly LogEvent[] },
  facts: Partial<LogFacts> = { lease: 'held' },
): ReadonlyMap<string, TreeNode> {
  const fold = new DiagnosisFold('s1');
  for (const event of events) fold.push(event);
  return new SessionTreeNodes().build({
    trace: traced(events),
    earlier: [],
    diagnosis: fold.finish({ ...SOUND, ...facts }),
    live: facts.lease === 'held',
  });
}

/** What stands below a node as a person sees it: a line a node, indented by its depth. */
export function drawn(nodes: ReadonlyMap<string, TreeNode>, id: string, depth = 0): readonly string[] {
  const node = nodes.get(id);
  if (node === undefined) return [`no ${id}`];
  const { state, label, detail } = node;
  const words = [`[${state}]`, inEnglish(label), inEnglish(detail)].filter((part) => part !== '');
  const below = node.children.flatMap((child) => drawn(nodes, child, depth + 1));
  return [`${'  '.repeat(depth)}${words.join(' ')}`, ...below];
}

export function evidenceOf(nodes: ReadonlyMap<string, TreeNode>, id: string): readonly string[] {
  const node = nodes.get(id);
  if (node === undefined) throw new Error(`no ${id} in ${[...nodes.keys()].join(', ')}`);
  return node.evidence.map(inEnglish);
}

export function actionsOf(nodes: ReadonlyMap<string, TreeNode>, id: string): readonly string[] {
  return (nodes.get(id)?.next_actions ?? []).map(
    ({ label, command, args }) => `${label}: ${command} ${JSON.stringify(args)}`,
  );
}
