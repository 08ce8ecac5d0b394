import { tenths } from './l10n.ts';

/** A duration as people read it: tenths below ten seconds, then whole ones, then minutes. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 0.05) return `<${tenths(0.1)} s`;
  if (seconds < 9.95) return `${tenths(seconds)} s`;
  return wholeSeconds(ms);
}

export function wholeSeconds(ms: number): string {
  const seconds = Math.round(Math.max(0, ms) / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
}
