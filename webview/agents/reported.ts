import { listIn, numberIn, recordIn, stringIn } from '../fields.ts';

/** What a child or a step says it has. All of it is outside data: what is not of its type is not there. */

export interface Artifact {
  readonly path: string;
  readonly sha256: string | null;
  readonly bytes: number | null;
  /** Why there is no hash; empty where there is one. */
  readonly problem: string;
}

export interface Reported {
  readonly limitations: readonly string[];
  readonly verification: readonly string[];
  readonly artifacts: readonly Artifact[];
}

export const NOTHING_REPORTED: Reported = { limitations: [], verification: [], artifacts: [] };

export function reportedIn(value: unknown): Reported {
  return {
    limitations: wordsIn(value, 'limitations'),
    verification: wordsIn(value, 'verification'),
    artifacts: listIn(value, 'artifacts').flatMap((one) => {
      const path = stringIn(one, 'path') ?? '';
      if (path === '') return [];
      const sha256 = stringIn(one, 'sha256') ?? null;
      return [
        { path, sha256, bytes: numberIn(one, 'bytes') ?? null, problem: stringIn(one, 'problem') ?? '' },
      ];
    }),
  };
}

export function hasReported({ limitations, verification, artifacts }: Reported): boolean {
  return limitations.length + verification.length + artifacts.length > 0;
}

function wordsIn(value: unknown, key: string): readonly string[] {
  return listIn(value, key).flatMap((one) => (typeof one === 'string' && one.trim() !== '' ? [one] : []));
}

/** Text that says something. */
export function wordsOrNull(value: unknown, key: string): string | null {
  const found = stringIn(value, key) ?? '';
  return found.trim() === '' ? null : found;
}

/** A moment that the log names, in milliseconds since 1970. */
export function momentIn(value: unknown, key: string): number | null {
  return momentOf(stringIn(value, key) ?? '');
}

export function momentOf(text: string): number | null {
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

export function checkpointIn(data: unknown): Reported {
  return reportedIn(recordIn(data, 'checkpoint'));
}
