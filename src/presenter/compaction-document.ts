import type { NextAction } from '../runtime/events.ts';
import {
  compactionFacts,
  eventsOf,
  tailOf,
  type CompactionFacts,
} from '../runtime/inspection/compaction-facts.ts';
import { basisWords, strategyWords, triggerWords } from '../runtime/inspection/compaction-words.ts';
import { nameInWords } from '../runtime/inspection/log-names.ts';
import { sentence, told, type Words } from '../runtime/inspection/spoken-words.ts';
import { compactionSections } from './compaction-sections.ts';
import { manyEvents, manyTokens } from './counted-words.ts';
import { actionLink, HERE, RAW_LINK, ReportText, seqLink, type Part, type Report } from './report-text.ts';
import type { Say } from './speech.ts';

/** What became of the log and of the settings since a preview was made of them. */
export type PreviewStanding =
  | { readonly kind: 'current' }
  /** The log has more, so that another preview would say something else. */
  | { readonly kind: 'outdated' }
  /** Settings were changed, so that another preview would be made by other means. */
  | { readonly kind: 'other_means' }
  /** A compaction was recorded since. */
  | { readonly kind: 'recorded'; readonly seq: number };

/** Where a record comes from: it is in the log, or it would be. */
export type CompactionSource =
  | { readonly kind: 'checkpoint'; readonly seq: number; readonly ts: string }
  | {
      readonly kind: 'preview';
      /** The last event that it is made of; null where that is not known. */
      readonly at_seq: number | null;
      readonly standing: PreviewStanding;
      readonly next_actions: readonly NextAction[];
    };

export interface ShownCompaction {
  readonly session_id: string;
  readonly source: CompactionSource;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Making {
  readonly text: ReportText;
  readonly shown: ShownCompaction;
  readonly facts: CompactionFacts;
}

const PREVIEW: NextAction = { label: 'Preview compaction', command: 'ledgerline.compactDryRun' };
const COMPACT: NextAction = { label: 'Compact now', command: 'ledgerline.compact' };

/** Pure: exactly what a compaction recorded, or would record, for people. */
export function compactionDocument(shown: ShownCompaction, say: Say): Report {
  const text = new ReportText(say);
  const making: Making = { text, shown, facts: compactionFacts(shown.data) };
  heading(making);
  head(making);
  compactionSections(text, shown, making.facts);
  return text.report;
}

/** Pure: what stands in the place of a preview or a checkpoint that is not there. */
export function missingCompaction(
  missing: { readonly kind: 'checkpoint' | 'preview'; readonly session_id: string },
  say: Say,
): Report {
  const text = new ReportText(say);
  if (missing.kind === 'checkpoint') {
    text.line('# ', sentence('Checkpoint')).gap();
    return text.line(sentence('The log has no checkpoint there.')).report;
  }
  text.line('# ', sentence('Preview of a compaction')).gap();
  text.line(sentence('This preview is not kept any more. A preview itself records nothing.'));
  next(text, missing.session_id, [PREVIEW]);
  return text.report;
}

function heading({ text, shown: { source, session_id } }: Making): void {
  if (source.kind === 'checkpoint') {
    text.line('# ', sentence('Checkpoint')).gap();
    return;
  }
  text.line('# ', sentence('Preview of a compaction')).gap();
  const { standing } = source;
  switch (standing.kind) {
    case 'current':
      text.line(
        sentence('Nothing was recorded. This is exactly what a compaction would record now, field by field.'),
      );
      text.line(sentence('To leave everything as it is, close this tab.'));
      next(text, session_id, offered(source.next_actions));
      break;
    case 'outdated':
      text.line(
        sentence(
          'Nothing was recorded. The log has grown since, so a compaction would now record something else.',
        ),
      );
      next(text, session_id, [PREVIEW]);
      break;
    case 'other_means':
      text.line(
        sentence(
          'Nothing was recorded. Settings were changed since, so a compaction would now be made by other means.',
        ),
      );
      next(text, session_id, [PREVIEW]);
      break;
    case 'recorded':
      text.line({
        around: sentence('A compaction was recorded since, at {0}. This is what was shown before it.', HERE),
        link: seqLink(session_id, standing.seq),
      });
  }
  text.gap();
}

/** What the host offers, and in any case to go through with it. */
function offered(actions: readonly NextAction[]): readonly NextAction[] {
  return actions.some(({ command }) => command === COMPACT.command) ? actions : [COMPACT, ...actions];
}

/** They say which session is meant: by the time that one is followed, another may be open. */
function next(text: ReportText, sessionId: string, actions: readonly NextAction[]): void {
  const links = actions.flatMap((action, index) => [
    index === 0 ? ' ' : ' · ',
    actionLink(COMPACTS.has(action.command) ? { ...action, args: [{ session_id: sessionId }] } : action),
  ]);
  text.line(sentence('Next:'), ...links);
}

const COMPACTS: ReadonlySet<string> = new Set([PREVIEW.command, COMPACT.command]);

function head({ text, shown, facts }: Making): void {
  const { session_id, source } = shown;
  const turnId = shown.data['turn_id'];
  text.fields([
    [sentence('Session'), session_id],
    source.kind === 'checkpoint'
      ? [
          sentence('Recorded'),
          { around: sentence('at {0}, {1}', HERE, source.ts), link: seqLink(session_id, source.seq) },
        ]
      : [sentence('Made of'), ...madeOf(session_id, source.at_seq)],
    ...(typeof turnId === 'string' ? [[sentence('Turn'), turnId] as const] : []),
    [sentence('Trigger'), named(triggerWords(facts.trigger), facts.trigger)],
    [sentence('Strategy'), named(strategyWords(facts.strategy), facts.strategy)],
    ...fallbackRows(facts),
    [sentence('Sums up'), ...rangeWords(session_id, facts)],
    ...keptRows(session_id, facts),
    [sentence('Still sent as it is'), ...tailWords(shown, facts)],
    [sentence('Tokens before'), tokenWords(facts.tokens.before)],
    [sentence('Tokens after'), afterWords(facts)],
    [sentence('Counted how'), named(basisWords(facts.tokens.basis), facts.tokens.basis)],
    [sentence('Raw JSON'), RAW_LINK],
  ]);
  text.gap();
}

function madeOf(sessionId: string, seq: number | null): readonly Part[] {
  if (seq === null) return [sentence('the log as it was then')];
  return [{ around: sentence('the log up to {0}', HERE), link: seqLink(sessionId, seq) }];
}

/** With the name that the log has, which other programs know it by. */
function named(words: Words, name: string): Words {
  return name === '' ? words : sentence('{0} ({1})', words, name);
}

function fallbackRows({ fallback }: CompactionFacts): readonly (readonly [Words, ...Part[]])[] {
  if (fallback === null) return [];
  const { from, kind, message, details } = fallback;
  const why = message === '' ? nameInWords(kind) : told(message);
  return [
    [sentence('Asked for'), named(strategyWords(from), from)],
    [sentence('Not carried out'), named(why, kind)],
    ...(details === '' ? [] : [[sentence('Details'), details] as const]),
  ];
}

function rangeWords(sessionId: string, facts: CompactionFacts): readonly Part[] {
  const { range } = facts;
  if (range === null) return [sentence('not known')];
  const from = seqLink(sessionId, range.from);
  const to = seqLink(sessionId, range.to);
  const many = manyEvents(eventsOf(facts) ?? 0);
  return [from, ' – ', to, ': ', many];
}

function keptRows(sessionId: string, { keeps }: CompactionFacts): readonly (readonly [Words, ...Part[]])[] {
  if (keeps.length === 0) return [];
  const seqs = keeps.flatMap((seq, index) => [index === 0 ? '' : ', ', seqLink(sessionId, seq)]);
  return [[sentence('But not'), ...seqs]];
}

function tailWords({ session_id, source }: ShownCompaction, facts: CompactionFacts): readonly Part[] {
  const { tail_from } = facts;
  if (tail_from === null) return [sentence('not known')];
  const link = seqLink(session_id, tail_from);
  const many = source.kind === 'preview' ? null : tailOf(facts, source.seq);
  if (many === 0) return [sentence('nothing before the checkpoint')];
  const around =
    many === null
      ? sentence('the conversation from {0} on', HERE)
      : sentence('the conversation from {0} on ({1} before the checkpoint)', HERE, manyEvents(many));
  return [{ around, link }];
}

function tokenWords(tokens: number | null): Words {
  return tokens === null ? sentence('not known') : sentence('about {0}', manyTokens(tokens));
}

function afterWords({ tokens: { before, after } }: CompactionFacts): Words {
  if (before === null || after === null || before <= 0) return tokenWords(after);
  return sentence('about {0}, {1} % of before', manyTokens(after), Math.round((100 * after) / before));
}
