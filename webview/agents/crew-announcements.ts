import type { NodeState } from '../../src/presenter/agent-states.ts';
import { t, whole } from '../l10n.ts';
import type { State } from '../state.ts';
import { visibleText } from '../visible-text.ts';
import { HANDFUL } from './agent-runs.ts';
import { nameOf, phraseFor } from './agent-words.ts';

/** A child or a workflow, as it is told aloud. */
export interface Heard {
  readonly name: string;
  /** Null while it is not over. */
  readonly ended: NodeState | null;
}

export function heardCrew({ crew }: State): ReadonlyMap<string, Heard> {
  const heard = new Map<string, Heard>();
  for (const [id, { workflow_id, agent, task, end, state }] of crew.children) {
    if (workflow_id !== null) continue;
    const name = nameOf({ roles: agent === null ? [] : [agent], task: task ?? '' });
    heard.set(`agent ${id}`, { name, ended: end === null ? null : state });
  }
  for (const [id, { name, end, state }] of crew.workflows)
    heard.set(`workflow ${id}`, {
      name: t('Workflow {0}', visibleText(name ?? id)),
      ended: end === null ? null : state,
    });
  return heard;
}

/**
 * Pure: what ended since; null when nothing did. What was already over when it was first seen is not news, and of many at
 * work neither is one that completed.
 */
export function endedWords(
  before: ReadonlyMap<string, Heard>,
  now: ReadonlyMap<string, Heard>,
): string | null {
  const isOfMany = [...before.values()].filter(({ ended }) => ended === null).length > HANDFUL;
  const fresh = [...now].flatMap(([id, { name, ended }]) => {
    const isNews = ended !== null && before.get(id)?.ended === null && !(isOfMany && ended === 'completed');
    return isNews ? [`${name}: ${phraseFor(ended)}`] : [];
  });
  const [only] = fresh;
  if (only === undefined) return null;
  return fresh.length === 1 ? only : t('{0} agents ended', whole(fresh.length));
}
