import { triggerWords } from '../runtime/inspection/compaction-words.ts';
import type { NamedCheckpoint, PrefixBreak, RequestReport } from '../runtime/inspection/request-report.ts';
import { joined, sentence, type Words } from '../runtime/inspection/spoken-words.ts';
import { manyBytes, manyTokens } from './counted-words.ts';
import { HERE, seqLink, type FieldRow, type ReportText } from './report-text.ts';

const BREAKS = {
  damaged_log: sentence('lines of the log are damaged, and what stood there may have been sent'),
  model_or_endpoint_changed: sentence(
    'it goes to another model or endpoint, and each has a cache and reasoning of its own',
  ),
  prompt_contract_changed: sentence('the instructions are of another version'),
  skills_changed: sentence('the instructions list other skills'),
  tools_changed: sentence('other tools are offered, or they are described in another way'),
  cache_key_changed: sentence('its cache key is another, as it is with another permission mode'),
  compaction: sentence('a checkpoint has taken the place of earlier history'),
  pending_call_decided: sentence(
    'a call that was pending then has its result now, in the place of the placeholder',
  ),
  reasoning_left_out: sentence('reasoning that was sent then is left out now'),
  reasoning_sent_again: sentence('reasoning that was left out then is sent now'),
  unknown: sentence('the log does not say why'),
} as const satisfies Record<PrefixBreak, Words>;

export function breakWords(reason: PrefixBreak): Words {
  return BREAKS[reason];
}

/** What a prompt has ahead of its input: where that is another, no item below can come from a cache. */
const AHEAD: ReadonlySet<PrefixBreak> = new Set([
  'model_or_endpoint_changed',
  'prompt_contract_changed',
  'skills_changed',
  'tools_changed',
  'cache_key_changed',
]);

/** How much of the request before is in this one. */
export function sharedWords({ shared_prefix: shared, damage }: RequestReport): Words {
  if (shared.of_previous === 0)
    return damage.length === 0
      ? sentence('none: there is no request before it')
      : sentence('none: no request before it can be read');
  const all = { count: shared.of_previous };
  const first = shared.broken_by;
  if (shared.whole || (shared.items === shared.of_previous && first !== null && AHEAD.has(first)))
    return shared.of_previous === 1
      ? sentence('the only item of the previous request')
      : sentence('all {0} items of the previous request', all);
  const some = { count: shared.items };
  return shared.of_previous === 1
    ? sentence('{0} of 1 item of the previous request', some)
    : sentence('{0} of {1} items of the previous request', some, all);
}

export function sharedSize({ shared_prefix: { bytes, tokens_estimate } }: RequestReport): Words {
  return sentence('{0}, about {1} (estimate)', manyBytes(bytes), manyTokens(tokens_estimate));
}

/** All that keeps it from being whole, at a glance. */
export function breakRow({ shared_prefix: { breaks, of_previous } }: RequestReport): readonly FieldRow[] {
  return breaks.length === 0 || of_previous === 0
    ? []
    : [[sentence('Broken because'), joined(breaks.map(breakWords), '; ')]];
}

/** Said before the items that are shared: it comes before them in the prompt. */
export function breaksAhead(text: ReportText, { shared_prefix: shared }: RequestReport): void {
  const found = shared.breaks.filter((reason) => AHEAD.has(reason));
  for (const reason of found)
    text.line('---- ', sentence('It breaks before the input, because {0}.', BREAKS[reason]));
  if (found.length > 0 && shared.items > 0)
    text
      .line('---- ', sentence('So these items are the same, but not a prefix that a cache could have.'))
      .gap();
}

/** Said where the shared items end. */
export function prefixEnd(text: ReportText, report: RequestReport): void {
  const { shared_prefix: shared, session_id } = report;
  text.line('---- ', sentence('The shared prefix ends here: {0}.', sharedWords(report)));
  const at = shared.broken_at_seq;
  const inside = shared.breaks.filter((reason) => !AHEAD.has(reason));
  // Reasoning is left out because of what was said ahead of the items already.
  const reasons = inside.length === 0 && at !== null ? shared.breaks.slice(0, 1) : inside;
  for (const reason of reasons) {
    const why = BREAKS[reason];
    text.line(
      '---- ',
      at === null
        ? sentence('It breaks because {0}.', why)
        : { around: sentence('It breaks because {0}: see {1}.', why, HERE), link: seqLink(session_id, at) },
    );
  }
  if (shared.checkpoint !== null) checkpointLine(text, session_id, shared.checkpoint);
}

function checkpointLine(text: ReportText, sessionId: string, checkpoint: NamedCheckpoint): void {
  const { seq, trigger, tokens_before: before, tokens_after: after } = checkpoint;
  const why = triggerWords(trigger ?? '');
  const around =
    before === null || after === null
      ? sentence('The checkpoint is at {0} ({1}).', HERE, why)
      : sentence(
          'The checkpoint is at {0} ({1}): about {2} became about {3} (estimates).',
          HERE,
          why,
          manyTokens(before),
          manyTokens(after),
        );
  text.line('---- ', { around, link: seqLink(sessionId, seq) });
}
