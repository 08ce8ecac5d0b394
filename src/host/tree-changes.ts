import { inEnglish } from '../runtime/inspection/spoken-words.ts';
import type { TreeNode } from '../runtime/inspection/tree-node.ts';

type Nodes = ReadonlyMap<string, TreeNode>;

/**
 * Pure: what has to be drawn again. A node is drawn with all below it, so only the topmost are named; `all`
 * when there was nothing, or is nothing any more.
 */
export function changedNodes(before: Nodes, after: Nodes): readonly string[] | 'all' {
  if (before.size === 0 || after.size === 0) return before.size === after.size ? [] : 'all';
  const changed = new Set<string>();
  for (const [id, node] of after) {
    const old = before.get(id);
    if (old !== undefined && old !== node && !isSame(old, node)) changed.add(id);
  }
  return [...changed].filter((id) => !hasAncestor(after, id, changed));
}

function isSame(old: TreeNode, node: TreeNode): boolean {
  // The session's evidence counts events: it would draw the whole tree for each of them.
  const withEvidence = node.kind !== 'session' || node.state !== 'running';
  return (
    inEnglish(old.label) === inEnglish(node.label) &&
    inEnglish(old.detail) === inEnglish(node.detail) &&
    old.state === node.state &&
    sameList(old.children, node.children) &&
    (!withEvidence || sameList(old.evidence.map(inEnglish), node.evidence.map(inEnglish))) &&
    old.next_actions.length === node.next_actions.length &&
    (old.request_at === null) === (node.request_at === null)
  );
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}

function hasAncestor(nodes: Nodes, id: string, among: ReadonlySet<string>): boolean {
  for (
    let parent = nodes.get(id)?.parent ?? null;
    parent !== null;
    parent = nodes.get(parent)?.parent ?? null
  ) {
    if (among.has(parent)) return true;
  }
  return false;
}
