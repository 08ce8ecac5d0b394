import type { VNode } from 'preact';
import {
  mayHaveRun,
  type CommandFact,
  type SkillFact,
  type TurnEvidence,
} from '../src/presenter/turn-evidence.ts';
import { ChangedFiles } from './changed-files.tsx';
import { t, whole } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import { ShellText } from './shell-text.tsx';
import { cachedWords, type ShownEvidence } from './turn-evidence.ts';
import { visibleText } from './visible-text.ts';
import { unreachable } from './unreachable.ts';

interface Props {
  readonly turn_id: string;
  readonly shown: ShownEvidence;
  /** Why nothing can be changed here; null when it can. */
  readonly locked: string | null;
  readonly presenter: Presenter;
}

/** What a turn did, fact by fact, each from the log. */
export function EvidenceDetails(props: Props): VNode {
  const { evidence, isWhole } = props.shown;
  return (
    <div class="evidence-details">
      {!isWhole && (
        <p class="quiet">{t('This turn began before what is shown. Show earlier to see all of it.')}</p>
      )}
      <ChangedFiles {...props} evidence={evidence} />
      <Commands commands={evidence.commands} />
      <Skills skills={evidence.skills} />
      <Calls evidence={evidence} />
      <Tokens evidence={evidence} />
    </div>
  );
}

function Commands({ commands }: { commands: readonly CommandFact[] }): VNode | null {
  if (commands.length === 0) return null;
  return (
    <section>
      <h3>{t('Commands')}</h3>
      <ul class="facts">
        {commands.map((one) => (
          <li key={one.call_id} class="fact">
            <code class="fact-command">
              <ShellText text={one.command} />
            </code>
            <span class="outcome" data-tone={one.outcome === 'failed' ? 'red' : 'quiet'}>
              {commandOutcome(one)}
            </span>
          </li>
        ))}
      </ul>
      {commands.some(mayHaveRun) && <p class="quiet">{t('What commands did cannot be undone here.')}</p>}
    </section>
  );
}

function commandOutcome({ outcome, exit_code }: CommandFact): string {
  if (exit_code !== null) return t('exit {0}', exit_code);
  switch (outcome) {
    case 'succeeded':
      return t('marked as done');
    case 'failed':
      return t('failed');
    case 'refused':
      return t('denied');
    case 'skipped':
      return t('skipped');
    case 'cancelled':
      return t('cancelled');
    case 'open':
      return t('no result');
    default:
      return unreachable(outcome);
  }
}

function Skills({ skills }: { skills: readonly SkillFact[] }): VNode | null {
  if (skills.length === 0) return null;
  const words = skills.map(({ name, activated_by }) => skillWords(visibleText(name), activated_by));
  return <Line name={t('Skills')} words={words.join(', ')} />;
}

function skillWords(name: string, by: string): string {
  if (by === 'user') return t('{0} (called by you)', name);
  return by === 'model' ? t('{0} (chosen by the model)', name) : name;
}

function Calls({ evidence: { approvals, others } }: { evidence: TurnEvidence }): VNode | null {
  const { approved, always, denied, allowed_by_rule, denied_by_rule } = approvals;
  const decided = [
    approved === 0 ? '' : t('{0} approved', approved),
    always === 0 ? '' : t('{0} of them always', always),
    denied === 0 ? '' : t('{0} denied', denied),
    allowed_by_rule === 0 ? '' : t('{0} allowed by rule', allowed_by_rule),
    denied_by_rule === 0 ? '' : t('{0} denied by rule', denied_by_rule),
  ].filter((part) => part !== '');
  if (decided.length === 0 && others.failed === 0) return null;
  return (
    <section>
      {decided.length > 0 && <Line name={t('Approvals')} words={decided.join(', ')} />}
      {others.failed > 0 && <Line name={t('Failed calls')} words={String(others.failed)} />}
    </section>
  );
}

function Tokens({ evidence: { responses, tokens, cached } }: { evidence: TurnEvidence }): VNode | null {
  if (responses === 0) return null;
  const words = [
    tokens === null ? t('unknown: the model did not say') : whole(tokens),
    cached === null || tokens === null ? '' : cachedWords(cached),
    responses === 1 ? t('1 response') : t('{0} responses', responses),
  ];
  return <Line name={t('Tokens')} words={words.filter((part) => part !== '').join(', ')} />;
}

function Line({ name, words }: { name: string; words: string }): VNode {
  return (
    <p>
      <span class="quiet">{name}: </span>
      {words}
    </p>
  );
}
