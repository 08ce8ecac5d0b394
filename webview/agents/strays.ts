import type { Block } from '../transcript.ts';
import { isOver, type Crew } from './crew.ts';

/**
 * Pure: children that are at work, but whose place is before what is shown, by their ids. One text, so that the same
 * ones are the same value.
 */
export function strays(crew: Crew, blocks: readonly Block[]): string {
  if (crew.live.size === 0) return '';
  const placed = new Set(
    blocks.flatMap((block) => (block.kind === 'turn' ? block.entries : [block])).flatMap(nameOf),
  );
  return [...crew.live]
    .filter(([id, { activity, questions }]) => {
      const child = crew.children.get(id);
      if (isOver(crew, id) || placed.has(`agent ${id}`)) return false;
      const workflow_id = child?.workflow_id ?? null;
      if (workflow_id !== null && placed.has(`workflow ${workflow_id}`)) return false;
      return child !== undefined || activity !== null || questions.length > 0;
    })
    .map(([id]) => id)
    .join('\n');
}

function nameOf(one: Block | Extract<Block, { kind: 'turn' }>['entries'][number]): readonly string[] {
  if (one.kind === 'agent') return [`agent ${one.subagent_id}`];
  return one.kind === 'workflow' ? [`workflow ${one.workflow_id}`] : [];
}

export function strayIds(names: string): readonly string[] {
  return names === '' ? [] : names.split('\n');
}
