import { spanText, wholeSecondsText } from '../src/presenter/durations.ts';
import { tenths } from './l10n.ts';

/** A duration as people read it: tenths below ten seconds, then the two largest units. */
export function duration(ms: number): string {
  return spanText({ ms }, tenths);
}

export function wholeSeconds(ms: number): string {
  return wholeSecondsText({ ms });
}
