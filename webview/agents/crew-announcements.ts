import type { NodeState } from '../../src/presenter/agent-states.ts';
import { t, whole } from '../l10n.ts';
import type { State } from '../state.ts';
import { visibleText } from '../visible-text.ts';
import { HANDFUL } from './agent-runs.ts';
import { nameOf, phraseFor } from './agent-words.ts';

/** A child or a workflow, as it is told aloud. */
export interface Heard {
  readonly kind: 'agent' | 'workflow';
  readonly name: string;
  /** Null while it is not over. */
  readonly ended: NodeState | null;
}

export function heardCrew({ crew }: State): ReadonlyMap<string, Heard> {
  const heard = new Map<string, Heard>();
  for (const [id, { workflow_id, agent, task, end, state }] of crew.children) {
    if (workflow_id !== null) continue;
    const name = nameOf({ roles: agent === null ? [] : [agent], task: task ?? '' });
    heard.set(`agent ${id}`, { kind: 'agent', name, ended: end === null ? null : state });
  }
  for (const [id, { name, end, state }] of crew.workflows)
    heard.set(`workflow ${id}`, {
      kind: 'workflow',
      name: t('Workflow {0}', visibleText(name ?? id)),
      ended: end === null ? null : state,
    });
  return heard;
}

function openIn(crew: ReadonlyMap<string, Heard>): number {
  return [...crew.values()].filter(({ kind, ended }) => kind === 'agent' && ended === null).length;
}

/**
 * Pure: what ended since; null when nothing did. What was already over when it was first seen is not news, and of many at
 * work neither is one that completed.
 */
export function endedWords(
  before: ReadonlyMap<string, Heard>,
  now: ReadonlyMap<string, Heard>,
): string | null {
  const fresh = [...now].flatMap(([id, { kind, name, ended }]) =>
    ended !== null && before.get(id)?.ended === null
      ? [{ kind, ended, words: `${name}: ${phraseFor(ended)}` }]
      : [],
  );
  // Of many at work, until the last of them have ended.
  const isOfMany = openIn(before) > HANDFUL && openIn(now) > 0;
  const told = fresh.filter(({ kind, ended }) => kind === 'workflow' || ended !== 'completed' || !isOfMany);
  const [only] = told;
  if (only === undefined) return null;
  return told.length === 1 ? only.words : t('{0} agents ended', whole(told.length));
}
