import type { NextAction } from '../runtime/events.ts';
import type { Check, Diagnosis } from '../runtime/inspection/diagnosis.ts';
import { findingsOf, findingWords } from '../runtime/inspection/findings.ts';
import { sentence, told, type Words } from '../runtime/inspection/spoken-words.ts';
import { nextActions } from '../runtime/loose-fields.ts';
import { actionLink, RAW_LINK, ReportText, seqLink, type Part, type Report } from './report-text.ts';
import type { Say } from './speech.ts';

const STATUS = {
  ready: sentence('Ready'),
  ready_with_warnings: sentence('Ready, with warnings'),
  blocked: sentence('Blocked'),
} as const satisfies Record<Diagnosis['status'], Words>;

const TITLES: ReadonlyMap<string, Words> = new Map([
  ['log_integrity', sentence('Log integrity')],
  ['unknown_events', sentence('Unknown events')],
  ['tool_pairing', sentence('Tool pairing')],
  ['turn_completion', sentence('Turn completion')],
  ['preserved_partials', sentence('Preserved partials')],
  ['turn_failures', sentence('Turn failures')],
  ['interrupted_turns', sentence('Interrupted turns')],
  ['pending_decisions', sentence('Pending decisions')],
  ['unknown_outcomes', sentence('Unknown outcomes')],
  ['subagent_timeouts', sentence('Subagent timeouts')],
  ['open_children', sentence('Open subagents')],
  ['subagent_delivery', sentence('What the model was told of subagents')],
  ['terminal_evidence', sentence('Terminal evidence')],
  ['staleness', sentence('Staleness')],
  ['workflow_gaps', sentence('Workflow gaps')],
  ['provider_replay', sentence('Provider replay')],
  ['compaction', sentence('Compaction')],
  ['context_pressure', sentence('Context pressure')],
  ['continuation', sentence('Continuation')],
  ['truncation', sentence('Truncation')],
  ['lease', sentence('Lease')],
]);

const FINDINGS_SHOWN = 100;

/** Pure: a diagnosis for people. What needs attention comes first, then what is sound and why. */
export function diagnosisDocument(sessionId: string, diagnosis: Diagnosis, say: Say): Report {
  const text = new ReportText(say);
  const wrong = diagnosis.checks
    .filter(({ status }) => status !== 'ok')
    .toSorted((a, b) => Number(b.status === 'blocked') - Number(a.status === 'blocked'));
  const sound = diagnosis.checks.filter(({ status }) => status === 'ok');
  text.line('# ', sentence('Diagnosis: {0}', STATUS[diagnosis.status])).gap();
  text.fields([
    [sentence('Session'), sessionId],
    [sentence('Checks'), sentence('{0} of {1} sound', sound.length, diagnosis.checks.length)],
    [sentence('Raw JSON'), RAW_LINK],
  ]);
  text.gap();
  if (wrong.length > 0) text.line('## ', sentence('Needs attention: {0}', wrong.length)).gap();
  for (const check of wrong) checkSection({ text, say, check, sessionId });
  text.line('## ', sentence('Sound: {0}', sound.length)).gap();
  for (const { id, message } of sound) text.line('- ', titleOf(id), ': ', told(message));
  return text.report;
}

interface Section {
  readonly text: ReportText;
  readonly say: Say;
  readonly check: Check;
  readonly sessionId: string;
}

function checkSection({ text, say, check, sessionId }: Section): void {
  const title = titleOf(check.id);
  text.line('### ', check.status === 'blocked' ? sentence('{0} (blocks the session)', title) : title);
  text.line(told(check.message));
  const findings = findingsOf(check);
  const shown = findings.slice(0, FINDINGS_SHOWN);
  for (const finding of shown) {
    const seq = 'seq' in finding && typeof finding.seq === 'number' ? finding.seq : null;
    const words = say(findingWords(finding));
    const actions = inBrackets(nextActions(finding));
    if (seq === null) text.line('- ', words, ...actions);
    else
      text.line('- ', seqLink(sessionId, seq), words.slice(say(sentence('seq {0}', seq)).length), ...actions);
  }
  const rest = findings.length - FINDINGS_SHOWN;
  if (rest > 0)
    text.line(
      '- ',
      rest === 1 ? sentence('and 1 more finding') : sentence('and {0} more findings', { count: rest }),
    );
  // What stands with a finding is not said again.
  const said = new Set(shown.flatMap(nextActions).map(keyOf));
  const others = check.next_actions.filter((action) => !said.has(keyOf(action)));
  if (others.length > 0) text.line(sentence('Next:'), ' ', ...links(others));
  text.gap();
}

function links(actions: readonly NextAction[]): readonly Part[] {
  return actions.flatMap((action, index) => [...(index === 0 ? [] : [' · ']), actionLink(action)]);
}

function inBrackets(actions: readonly NextAction[]): readonly Part[] {
  return actions.length === 0 ? [] : [' (', ...links(actions), ')'];
}

function keyOf({ command, args }: NextAction): string {
  return `${command} ${JSON.stringify(args) ?? ''}`;
}

/** A check of a later version is named as it names itself. */
function titleOf(id: string): Words {
  const words = id.replaceAll('_', ' ');
  return TITLES.get(id) ?? words.slice(0, 1).toUpperCase() + words.slice(1);
}
