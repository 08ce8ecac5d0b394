import { SEARCHING } from './search-runs.ts';

/**
 * How many lines of a log to keep, longest first: up to the first and up to the last event of each kind, which are
 * the states that a crash can leave; up to every single event in a longer search.
 */
export function prefixLengths(log: string): readonly number[] {
  const lines = log.split('\n').filter((line) => line !== '');
  const kinds = lines.map(kindOf);
  const all = lines.map((_, index) => index + 1).toReversed();
  if (SEARCHING) return all;
  return all.filter((length) => {
    const kind = kinds[length - 1];
    return kinds.indexOf(kind ?? '') === length - 1 || kinds.lastIndexOf(kind ?? '') === length - 1;
  });
}

/** The fields by which events of one type come from, and lead to, states of different kinds. */
const TELLING = [
  'event',
  'status',
  'from',
  'to',
  'ok',
  'action',
  'resume_mode',
  'decision',
  'decided_by',
  'name',
  'purpose',
  'trigger',
  'terminal_status',
];

/** What an event is and says of a state: neither whose it is, nor its words. */
function kindOf(line: string): string {
  const { type, data } = JSON.parse(line) as { type: string; data: Data };
  // A reason is a kind where it is one of a few; elsewhere it is what somebody wrote.
  const reason = type === 'run_status' ? data['reason'] : data.suspension?.reason;
  return JSON.stringify([type, reason, data.metadata?.partial, ...TELLING.map((key) => data[key])]);
}

interface Data {
  readonly [field: string]: unknown;
  readonly suspension?: { readonly reason?: unknown };
  readonly metadata?: { readonly partial?: unknown };
}
