import { field, list, wordsOrNull } from '../loose-fields.ts';
import { oneLine } from './one-line.ts';

/** What a child reported as its own, as far as it can be read: of a bounded size, whatever was reported. */
export interface ReportedWork {
  /** Empty where it does not say. */
  readonly status: string;
  readonly limitations: number;
  readonly verification: number;
  /** The first ones. */
  readonly artifacts: readonly ArtifactFact[];
  readonly artifact_count: number;
}

export interface ArtifactFact {
  readonly path: string;
  readonly sha256: string | null;
  readonly problem: string | null;
}

const ARTIFACTS_KEPT = 8;

/** Of a checkpoint, or of the result of a step: both name the same things. Null where there is none. */
export function reportedWork(value: unknown): ReportedWork | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const artifacts = list(value, 'artifacts').filter((one) => wordsOrNull(one, 'path') !== null);
  return {
    status: wordsOrNull(value, 'status') ?? '',
    limitations: list(value, 'limitations').length,
    verification: list(value, 'verification').length,
    artifacts: artifacts.slice(0, ARTIFACTS_KEPT).map((one) => ({
      path: shortWords(one, 'path') ?? '',
      sha256: wordsOrNull(one, 'sha256')?.slice(0, 64) ?? null,
      problem: shortWords(one, 'problem'),
    })),
    artifact_count: artifacts.length,
  };
}

const LONGEST = 300;

/** Words of others, short enough to be kept of thousands. */
export function shortWords(value: unknown, name: string): string | null {
  const found = wordsOrNull(value, name);
  return found === null ? null : oneLine(found, LONGEST);
}

export function isThere(value: unknown, name: string): boolean {
  const found = field(value, name);
  return found !== undefined && found !== null;
}
