import type { ProcessTree } from './process-tree.ts';

/** The last resort: trees of commands that still run when our own process exits are ended by force. */

const running = new Set<ProcessTree>();

export function watchTree(tree: ProcessTree): void {
  if (running.size === 0) process.on('exit', endAll);
  running.add(tree);
}

export function unwatchTree(tree: ProcessTree): void {
  running.delete(tree);
  if (running.size === 0) process.off('exit', endAll);
}

function endAll(): void {
  for (const tree of running) tree.kill({ final: true });
}
