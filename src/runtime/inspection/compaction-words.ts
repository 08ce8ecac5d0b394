import type { CompactionStrategy, CompactionTrigger } from '../context-events.ts';
import type { DecisionFact } from './compaction-facts.ts';
import { deciderInWords, nameInWords } from './log-names.ts';
import { joined, sentence, type Sentence, type Words } from './spoken-words.ts';

/** The names of a checkpoint as people say them; one of a later version without its underscores. */

const TRIGGERS: ReadonlyMap<string, Sentence> = new Map(
  Object.entries({
    manual: sentence('asked for by you'),
    critical_pressure_preflight: sentence('before the next request, because the window was nearly full'),
    overflow_recovery: sentence('after the provider said that the request was too large'),
    websocket_critical_recovery: sentence('after a broken connection with a nearly full window'),
  } satisfies Record<CompactionTrigger, Sentence>),
);

const STRATEGIES: ReadonlyMap<string, Sentence> = new Map(
  Object.entries({
    deterministic_v1: sentence('facts of the log, by fixed rules'),
    model_assisted_v1: sentence('a summary by the model, beside the facts of the log'),
  } satisfies Record<CompactionStrategy, Sentence>),
);

const BASES: ReadonlyMap<string, Sentence> = new Map([
  ['measured', sentence('estimates, scaled by what the provider last counted')],
  ['estimated', sentence('estimates, because the provider has counted nothing so far')],
]);

export function triggerWords(trigger: string): Words {
  return trigger === '' ? sentence('not known') : (TRIGGERS.get(trigger) ?? nameInWords(trigger));
}

export function strategyWords(strategy: string): Words {
  return strategy === '' ? sentence('not known') : (STRATEGIES.get(strategy) ?? nameInWords(strategy));
}

export function basisWords(basis: string): Words {
  return basis === '' ? sentence('not known') : (BASES.get(basis) ?? nameInWords(basis));
}

/** What was decided about a call, by whom and why. */
export function decisionWords({ name, subject, action, decided_by, reason }: DecisionFact): Words {
  const what = subject === '' ? name : `${name} ${subject}`;
  const how = [
    ...(action === '' ? [] : [ACTIONS.get(action) ?? nameInWords(action)]),
    ...(decided_by === '' ? [] : [deciderInWords(decided_by)]),
  ];
  const parts = [what, ...(how.length === 0 ? [] : [joined(how, ' ')]), ...(reason === null ? [] : [reason])];
  return joined(parts, ': ');
}

const ACTIONS: ReadonlyMap<string, Words> = new Map([
  ['resume', sentence('approved')],
  ['cancel', sentence('denied')],
]);
