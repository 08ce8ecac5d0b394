import type { NextAction } from '../events.ts';
import type { Effect } from '../ports.ts';
import type { InputItem } from '../replay/items.ts';
import type { RequestProblem } from '../replay/validator.ts';

export type CheckStatus = 'ok' | 'warning' | 'blocked';

export interface Check {
  readonly id: string;
  readonly status: CheckStatus;
  readonly message: string;
  readonly details: unknown;
  readonly next_actions: readonly NextAction[];
}

/** What the fold of a log cannot see by itself. */
export interface LogFacts {
  readonly damage: readonly { readonly line: number; readonly reason: string }[];
  readonly torn_bytes: number;
  readonly lease: 'free' | 'held' | 'dead';
  readonly input: readonly InputItem[];
  /** What a tool of that name does to things; null for one that this version does not have. */
  readonly effectOf: (toolName: string) => Effect | null;
}

export function openSession(sessionId: string): NextAction {
  return { label: 'Open the session', command: 'ledgerline.openSession', args: [sessionId] };
}

function fork(sessionId: string): NextAction {
  return { label: 'Fork from the last good event', command: 'ledgerline.fork', args: [sessionId] };
}

/** Opening a session settles what can be settled. A damaged one only opens to be read. */
export function settling(sessionId: string, facts: Pick<LogFacts, 'damage'>): readonly NextAction[] {
  return facts.damage.length === 0 ? [openSession(sessionId)] : [fork(sessionId)];
}

/** Where in which log to look. */
export type LogPlace = { readonly session_id: string } & (
  | { readonly seq: number }
  | { readonly line: number }
);

export function openLog(place: LogPlace): NextAction {
  return { label: 'Open log', command: 'ledgerline.openLog', args: [place] };
}

export function ok(id: string, message: string): Check {
  return { id, status: 'ok', message, details: {}, next_actions: [] };
}

export function warning(
  id: string,
  message: string,
  details: unknown,
  next_actions: readonly NextAction[],
): Check {
  return { id, status: 'warning', message, details, next_actions };
}

/** Whole sentences, because languages differ in more than the ending of a word. */
export interface Counted {
  readonly one: string;
  readonly many: string;
}

export function counted(n: number, { one, many }: Counted): string {
  return n === 1 ? one : many.replace('{0}', String(n));
}

export function integrity(sessionId: string, facts: LogFacts): Check {
  const [first] = facts.damage;
  if (first !== undefined) {
    const message = `Line ${first.line} is damaged: ${first.reason}. The session opens read-only; nothing was changed.`;
    return {
      id: 'log_integrity',
      status: 'blocked',
      message,
      details: { damage: facts.damage },
      next_actions: [
        openLog({ session_id: sessionId, line: first.line }),
        { label: 'Export', command: 'ledgerline.exportSession', args: [sessionId] },
        fork(sessionId),
      ],
    };
  }
  if (facts.torn_bytes === 0) return ok('log_integrity', 'Every line is whole, in order and understood.');
  return warning(
    'log_integrity',
    `The last write was cut off: ${facts.torn_bytes} bytes will be set aside when the session opens.`,
    { torn_bytes: facts.torn_bytes },
    [openSession(sessionId)],
  );
}

export function replay(
  sessionId: string,
  facts: Pick<LogFacts, 'damage'>,
  problems: readonly RequestProblem[],
): Check {
  if (facts.damage.length > 0) {
    const message = 'No request is made of a damaged log: the session opens read-only.';
    return warning('provider_replay', message, problems, settling(sessionId, facts));
  }
  return problems.length === 0
    ? ok('provider_replay', 'The next request is one that the API accepts.')
    : warning(
        'provider_replay',
        'The next request breaks a rule of the API and would be repaired.',
        problems,
        [
          {
            label: 'Inspect request',
            command: 'ledgerline.inspectRequest',
            args: [{ session_id: sessionId }],
          },
        ],
      );
}

export function lease(sessionId: string, { lease: holder }: LogFacts): Check {
  if (holder === 'free') return ok('lease', 'No process has the session open.');
  if (holder === 'held') return ok('lease', 'A live process has the session open.');
  return warning(
    'lease',
    'A process that is gone left its lease. It is taken over when the session opens.',
    {},
    [openSession(sessionId)],
  );
}

export interface ContinuationCounts {
  readonly used: number;
  /** How often a full replay took its place, by the reason on record. */
  readonly resets: ReadonlyMap<string, number>;
  /** Attempted, not used, and no word why. */
  readonly unexplained: readonly number[];
}

export function continuation(sessionId: string, counts: ContinuationCounts): Check {
  const [first] = counts.unexplained;
  const reasons = [...counts.resets].map(([reason, n]) => `${reason} (${n})`).join(', ');
  if (first === undefined) {
    const used =
      counts.used === 0
        ? 'No request continued another.'
        : counted(counts.used, {
            one: '1 request continued another.',
            many: '{0} requests continued another.',
          });
    const reset = reasons === '' ? 'No continuation was reset.' : `Continuations were reset: ${reasons}.`;
    return ok('continuation', `${used} ${reset}`);
  }
  const message = counted(counts.unexplained.length, {
    one: '1 continuation not used, without a reason on record.',
    many: '{0} continuations not used, without a reason on record.',
  });
  const details = counts.unexplained.map((seq) => ({ seq, what: 'continuation without a reset reason' }));
  return warning('continuation', message, details, [openLog({ session_id: sessionId, seq: first })]);
}
