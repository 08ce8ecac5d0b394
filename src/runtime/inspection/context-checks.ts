import type { KnownEvent, LogEvent, NextAction } from '../events.ts';
import { field, list, numberOrNull } from '../loose-fields.ts';
import { tierOf } from '../pressure.ts';
import { wholePercent } from '../whole-percent.ts';
import { counted, ok, openLog, warning, type Check } from './checks.ts';

interface Finding {
  readonly seq: number;
  readonly what: string;
}

/** How full the window was when a request was last counted. */
interface Counted {
  readonly seq: number;
  readonly input_tokens: number;
  readonly window_tokens: number | null;
  readonly ratio: number | null;
}

const PREVIEW: NextAction = { label: 'Preview compaction', command: 'ledgerline.compactDryRun' };
const COMPACT: NextAction = { label: 'Compact now', command: 'ledgerline.compact' };

/** What a log says of its context: checkpoints, and the room in the window. Read loosely, as any log. */
export class ContextFindings {
  private checkpoints = 0;
  private readonly unsound: Finding[] = [];
  private last: Counted | null = null;
  /** Nothing was counted since the last checkpoint. */
  private relieved = false;

  push(event: LogEvent): void {
    if (event.type === 'history_compaction') {
      this.checkpoints += 1;
      this.relieved = true;
      this.unsound.push(...problemsOf(event).map((what) => ({ seq: event.seq, what })));
    } else if (event.type === 'provider_usage' && field(event.data, 'purpose') === undefined) {
      const count = countIn(event);
      if (count === null) return;
      this.last = count;
      this.relieved = false;
    }
  }

  compaction(sessionId: string): Check {
    const { checkpoints, unsound } = this;
    const [first] = unsound;
    if (first === undefined)
      return checkpoints === 0
        ? ok('compaction', 'Nothing was compacted.')
        : ok('compaction', counted(checkpoints, SOUND));
    const inspect = { label: 'Inspect request', command: 'ledgerline.inspectRequest' };
    return warning('compaction', counted(new Set(unsound.map(({ seq }) => seq)).size, UNSOUND), unsound, [
      openLog({ session_id: sessionId, seq: first.seq }),
      { ...inspect, args: [{ session_id: sessionId }] },
    ]);
  }

  pressure(): Check {
    const { last, relieved } = this;
    if (last === null) return ok('context_pressure', 'Unknown: no request was counted yet.');
    if (relieved) return ok('context_pressure', 'History was compacted since a request was last counted.');
    const { ratio } = last;
    if (ratio === null)
      return ok('context_pressure', 'Unknown: the context window of the model is not known.');
    const tier = tierOf(ratio);
    const percent = wholePercent(ratio);
    if (tier !== 'warning' && tier !== 'critical')
      return ok('context_pressure', `The last request filled ${percent} % of the context window.`);
    const message =
      tier === 'critical'
        ? `The last request filled ${percent} % of the context window. The next one may not fit.`
        : `The last request filled ${percent} % of the context window. Soon there is no room left.`;
    return warning('context_pressure', message, { ...last, tier }, [PREVIEW, COMPACT]);
  }
}

const SOUND = {
  one: '1 checkpoint, with a sound range and its limitations.',
  many: '{0} checkpoints, each with a sound range and its limitations.',
};
const UNSOUND = {
  one: '1 checkpoint that does not say soundly what it stands for.',
  many: '{0} checkpoints that do not say soundly what they stand for.',
};

/** What is wrong with a checkpoint by itself. */
function problemsOf({ seq, data }: KnownEvent<'history_compaction'>): readonly string[] {
  const { range, tail_from_seq: tail, limitations } = data;
  const { from_seq: from, to_seq: to } = range;
  const before = numberOrNull(data, 'tokens_before');
  const after = numberOrNull(data, 'tokens_after');
  const seqs = [from, to, tail].every((one) => Number.isSafeInteger(one) && one >= 0);
  const keeps = list(data, 'keeps');
  const inRange = (one: unknown): boolean => typeof one === 'number' && one >= from && one <= to;
  return [
    ...(seqs && to < seq && tail <= seq ? [] : ['it names events that are not before it']),
    ...(from <= to ? [] : ['its range ends before it begins']),
    ...(tail > to ? [] : ['its tail begins inside of its range']),
    ...(keeps.every(inRange) ? [] : ['it keeps events that are not in its range']),
    ...(limitations.some((line) => line.trim() !== '') ? [] : ['it states no limitations']),
    ...(before === null || after === null || after < before
      ? []
      : ['the request did not become smaller by it']),
    ...(data.summary.trim() === '' ? ['it has no summary'] : []),
  ];
}

/** Null where the provider did not count. */
function countIn({ seq, data }: KnownEvent<'provider_usage'>): Counted | null {
  const input_tokens = numberOrNull(field(data, 'tokens'), 'input');
  if (input_tokens === null) return null;
  const window_tokens = numberOrNull(field(data, 'context'), 'window_tokens');
  const ratio = window_tokens === null || window_tokens <= 0 ? null : input_tokens / window_tokens;
  return { seq, input_tokens, window_tokens, ratio };
}
