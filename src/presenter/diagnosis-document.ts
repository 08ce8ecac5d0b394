import type { Check, Diagnosis } from '../runtime/inspection/diagnosis.ts';
import { findingsOf, findingWords } from '../runtime/inspection/findings.ts';
import { inEnglish } from '../runtime/inspection/spoken-words.ts';
import { actionLink, many, RAW_LINK, ReportText, seqLink, type Report } from './report-text.ts';

const STATUS = {
  ready: 'Ready',
  ready_with_warnings: 'Ready, with warnings',
  blocked: 'Blocked',
} as const satisfies Record<Diagnosis['status'], string>;

const FINDINGS_SHOWN = 100;

/** Pure: a diagnosis for people. What needs attention comes first, then what is sound and why. */
export function diagnosisDocument(sessionId: string, diagnosis: Diagnosis): Report {
  const text = new ReportText();
  const wrong = diagnosis.checks
    .filter(({ status }) => status !== 'ok')
    .toSorted((a, b) => Number(b.status === 'blocked') - Number(a.status === 'blocked'));
  const sound = diagnosis.checks.filter(({ status }) => status === 'ok');
  text.line(`# Diagnosis: ${STATUS[diagnosis.status]}`).gap();
  text.line(`Session           ${sessionId}`);
  text.line(`Checks            ${sound.length} of ${diagnosis.checks.length} sound`);
  text.line('Raw JSON          ', RAW_LINK).gap();
  if (wrong.length > 0) text.line(`## Needs attention: ${wrong.length}`).gap();
  for (const check of wrong) checkSection(text, check, sessionId);
  text.line(`## Sound: ${sound.length}`).gap();
  for (const { id, message } of sound) text.line(`- ${titleOf(id)}: ${message}`);
  return text.report;
}

function checkSection(text: ReportText, check: Check, sessionId: string): void {
  text.line(`### ${titleOf(check.id)}${check.status === 'blocked' ? ' (blocks the session)' : ''}`);
  text.line(check.message);
  const findings = findingsOf(check);
  for (const finding of findings.slice(0, FINDINGS_SHOWN)) {
    const seq = 'seq' in finding && typeof finding.seq === 'number' ? finding.seq : null;
    const words = inEnglish(findingWords(finding));
    if (seq === null) text.line(`- ${words}`);
    else text.line('- ', seqLink(sessionId, seq), words.slice(`seq ${seq}`.length));
  }
  if (findings.length > FINDINGS_SHOWN)
    text.line(`- and ${many(findings.length - FINDINGS_SHOWN, 'more finding')}`);
  const actions = check.next_actions.flatMap((action, index) => [
    index === 0 ? '' : ' · ',
    actionLink(action),
  ]);
  if (actions.length > 0) text.line('Next: ', ...actions);
  text.gap();
}

function titleOf(id: string): string {
  const words = id.replaceAll('_', ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
