import type { KnownEvent } from '../events.ts';
import { compactionFacts, eventsOf, tailOf, type CompactionFacts } from './compaction-facts.ts';
import { basisWords, strategyWords, triggerWords } from './compaction-words.ts';
import { nameInWords } from './log-names.ts';
import { oneLine } from './one-line.ts';
import { joined, sentence, told, type Words } from './spoken-words.ts';
import { node, type TreeNode } from './tree-node.ts';

/** A checkpoint in the log, without what it says of the work: its document has that. */
export interface CompactionTrace extends Pick<
  CompactionFacts,
  'trigger' | 'strategy' | 'range' | 'tail_from' | 'keeps' | 'tokens' | 'fallback'
> {
  readonly seq: number;
  readonly limitations: number;
}

const COMPACTIONS_KEPT = 50;
const LONGEST_REASON = 200;

export function compactionsAfter(
  known: readonly CompactionTrace[],
  { seq, data }: KnownEvent<'history_compaction'>,
): readonly CompactionTrace[] {
  const { trigger, strategy, range, tail_from, keeps, tokens, fallback, limitations } = compactionFacts(data);
  const facts = { trigger, strategy, range, tail_from, keeps, tokens, fallback };
  return [...known, { seq, ...facts, limitations: limitations.length }].slice(-COMPACTIONS_KEPT);
}

export function compactionNode(
  trace: CompactionTrace,
  { parent, turn_id }: { readonly parent: string; readonly turn_id: string | null },
): TreeNode {
  const { seq, fallback } = trace;
  return node({
    id: `${parent}/compaction:${seq}`,
    parent,
    kind: 'compaction',
    // Done, but not in the way that was asked for.
    state: fallback === null ? 'completed' : 'attention',
    label: sentence('History compacted'),
    detail: compactionDetail(trace),
    evidence: compactionEvidence(trace),
    seq,
    turn_id,
    // The next request is the first one that begins with it.
    request_at: seq,
    fork_at: seq,
  });
}

function compactionDetail(trace: CompactionTrace): Words {
  const { before, after } = trace.tokens;
  const events = eventsOf(trace);
  return joined([
    ...(events === null
      ? []
      : [events === 1 ? sentence('1 event') : sentence('{0} events', { count: events })]),
    ...(before === null || after === null
      ? []
      : [sentence('about {0} to {1} tokens', { count: before }, { count: after })]),
  ]);
}

function compactionEvidence(trace: CompactionTrace): readonly Words[] {
  const { seq, trigger, strategy, range, keeps, limitations } = trace;
  return [
    sentence('Recorded at seq {0}.', seq),
    sentence('Why: {0}.', triggerWords(trigger)),
    sentence('How: {0}.', strategyWords(strategy)),
    ...fallbackEvidence(trace),
    ...(range === null ? [] : [sentence('Stands for seq {0} to seq {1}.', range.from, range.to)]),
    ...(keeps.length === 0 ? [] : [sentence('But not for seq {0}.', keeps.join(', '))]),
    ...tailEvidence(trace),
    ...tokenEvidence(trace),
    limitations === 1
      ? sentence('It states 1 limitation.')
      : sentence('It states {0} limitations.', limitations),
  ];
}

function fallbackEvidence({ fallback }: CompactionTrace): readonly Words[] {
  if (fallback === null) return [];
  const { from, kind, message } = fallback;
  const line = oneLine(message, LONGEST_REASON);
  const why = line === '' ? nameInWords(kind) : told(line);
  return [sentence('Asked for was this: {0}. It failed: {1}', strategyWords(from), why)];
}

function tailEvidence(trace: CompactionTrace): readonly Words[] {
  const many = tailOf(trace, trace.seq);
  if (trace.tail_from === null || many === null || many === 0) return [];
  return [sentence('The conversation from seq {0} on is still sent as it is.', trace.tail_from)];
}

function tokenEvidence({ tokens: { before, after, basis } }: CompactionTrace): readonly Words[] {
  if (before === null || after === null) return [];
  return [
    sentence('About {0} tokens before, {1} after.', { count: before }, { count: after }),
    ...(basis === '' ? [] : [sentence('Counted how: {0}.', basisWords(basis))]),
  ];
}
