import type { EventData } from '../events.ts';
import { nextActions, numberOrNull, wordsOrNull } from '../loose-fields.ts';
import { isThere } from './reported-work.ts';

/** What an end has to be proven by (§9), and how its lack is told. */
interface Proof {
  readonly isThere: (data: EventData['subagent_event']) => boolean;
  readonly without: string;
}

const hasReason: Proof['isThere'] = (data) => wordsOrNull(data, 'reason') !== null;
const hasActions: Proof['isThere'] = (data) => nextActions(data).length > 0;
const hasElapsed: Proof['isThere'] = (data) => numberOrNull(data, 'elapsed_ms') !== null;

const PROOFS: ReadonlyMap<string, readonly Proof[]> = new Map([
  [
    'completed',
    [
      {
        isThere: (data) => wordsOrNull(data, 'summary') !== null || isThere(data, 'checkpoint'),
        without: ': completed without a summary or a checkpoint',
      },
      { isThere: hasElapsed, without: ': completed without the time it took' },
    ],
  ],
  [
    'failed',
    [
      { isThere: hasReason, without: ': failed without a reason' },
      { isThere: hasActions, without: ': failed without next actions' },
    ],
  ],
  [
    'timed_out',
    [
      {
        isThere: (data) => numberOrNull(data, 'timeout_ms') !== null,
        without: ': timed out without its time limit',
      },
      { isThere: hasElapsed, without: ': timed out without the time it took' },
      { isThere: hasReason, without: ': timed out without a reason' },
      {
        isThere: (data) => wordsOrNull(data, 'child_session_id') !== null,
        without: ': timed out without its session',
      },
      { isThere: hasActions, without: ': timed out without next actions' },
    ],
  ],
  ['cancelled', [{ isThere: hasReason, without: ': cancelled without a reason' }]],
  ['interrupted', [{ isThere: hasReason, without: ': interrupted without a reason' }]],
  ['detached', [{ isThere: hasActions, without: ': detached without next actions' }]],
]);

/** Pure: what the event of an end lacks of its evidence, in words. */
export function evidenceGaps(data: EventData['subagent_event']): readonly string[] {
  return (PROOFS.get(data.status) ?? [])
    .filter((proof) => !proof.isThere(data))
    .map(({ without }) => `subagent ${data.subagent_id}${without}`);
}
