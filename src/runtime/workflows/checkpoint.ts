import type { Checkpoint, CheckpointStatus } from '../agent-events.ts';
import { isRaw } from '../line-rules.ts';
import { Fields, Mistakes, type Mistake } from './fields.ts';
import { pathFault, SPEC_LIMITS } from './spec.ts';
import { LONGEST_SUMMARY } from './step-results.ts';

export const CHECKPOINT_STATUSES = [
  'checkpoint_ready',
  'partial',
  'failed',
  'held',
  'needs_orchestrator',
] as const satisfies readonly CheckpointStatus[];

export const CHECKPOINT_LIMITS = {
  summary: LONGEST_SUMMARY,
  entry: 1_000,
  entries: 50,
  artifacts: 100,
} as const;

const FIELDS = ['status', 'summary', 'limitations', 'verification', 'artifacts'] as const;

export type ParsedCheckpoint =
  | { readonly ok: true; readonly checkpoint: Checkpoint }
  | { readonly ok: false; readonly mistakes: readonly Mistake[] };

/**
 * Pure, and never throws: what a child reports, from the arguments of its `report_checkpoint`. Nobody has looked at the
 * artifacts yet: whatever else is said of one than its path counts for nothing.
 */
export function parseCheckpoint(value: unknown): ParsedCheckpoint {
  const mistakes = new Mistakes();
  if (!isRaw(value)) return { ok: false, mistakes: [{ at: 'arguments', message: 'is not an object' }] };
  const fields = new Fields(asLists(value), '', mistakes);
  fields.only(FIELDS);
  for (const needed of ['status', 'summary'] as const)
    if (fields.value(needed) === undefined) fields.note(needed, 'is missing');
  const status = fields.oneOf('status', CHECKPOINT_STATUSES);
  const summary = fields.text('summary', { longest: CHECKPOINT_LIMITS.summary });
  const entries = { longest: CHECKPOINT_LIMITS.entry, most: CHECKPOINT_LIMITS.entries };
  const limitations = fields.texts('limitations', entries);
  const verification = fields.texts('verification', entries);
  const paths = fields.texts('artifacts', {
    longest: SPEC_LIMITS.path,
    most: CHECKPOINT_LIMITS.artifacts,
    fault: pathFault,
  });
  if (status === null || summary === null || mistakes.all.length > 0)
    return { ok: false, mistakes: mistakes.all };
  const artifacts = [...new Set(paths)].map((path) => ({ path, sha256: null }));
  return { ok: true, checkpoint: { status, summary, limitations, verification, artifacts } };
}

const LISTS = ['limitations', 'verification', 'artifacts'] as const;

/** One text in place of a list is a list of one, and an artifact may come as what the result has of it. */
function asLists(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const read = (key: string): unknown => {
    const value = given[key];
    const entries: unknown = typeof value === 'string' ? [value].filter((text) => text.trim() !== '') : value;
    return key === 'artifacts' && Array.isArray(entries) ? entries.map(pathOf) : entries;
  };
  return {
    ...given,
    ...Object.fromEntries(LISTS.filter((key) => key in given).map((key) => [key, read(key)])),
  };
}

function pathOf(artifact: unknown): unknown {
  return isRaw(artifact) && typeof artifact['path'] === 'string' ? artifact['path'] : artifact;
}
