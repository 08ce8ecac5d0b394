import { text, wordsOrNull } from '../loose-fields.ts';

/** Where an event of a step does not say its status, the event does. */
const STEP_EVENTS: ReadonlyMap<string, string> = new Map([
  ['step_scheduled', 'queued'],
  ['step_started', 'running'],
  ['step_held', 'held'],
  ['step_answered', 'queued'],
]);

/** Null for an event that changes nothing about where its step is. */
export function toldStepStatus(data: object): string | null {
  return wordsOrNull(data, 'status') ?? STEP_EVENTS.get(text(data, 'event')) ?? null;
}
