import type { VNode } from 'preact';
import {
  changedFiles,
  type ChangedFile,
  type CommandFact,
  type TurnEvidence,
} from '../src/presenter/turn-evidence.ts';
import { FileName } from './file-name.tsx';
import { t, whole } from './l10n.ts';
import { lockOf } from './offer.ts';
import type { Presenter } from './presenter.ts';
import { ShellText } from './shell-text.tsx';
import { cachedWords, type ShownEvidence } from './turn-evidence.ts';
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
      <Files {...props} />
      <Commands commands={evidence.commands} />
      <Calls evidence={evidence} />
      <Tokens evidence={evidence} />
    </div>
  );
}

function Files({ turn_id, shown, locked, presenter }: Props): VNode | null {
  const { changes, undo_open } = shown.evidence;
  const files = changedFiles(changes);
  const undoable = files.filter(({ standing }) => standing !== 'undone');
  if (files.length === 0) return null;
  return (
    <section>
      <h3>{t('Files')}</h3>
      <ul class="facts">
        {files.map((file) => (
          <li key={file.path} class="fact" data-standing={file.standing}>
            <FileName path={file.path} presenter={presenter} />
            <FileFacts file={file} />
            <span class="fact-actions">
              <button
                type="button"
                class="link-button"
                aria-label={t('Diff of {0}', file.path)}
                onClick={() => presenter.post({ type: 'show_change', turn_id, path: file.path })}
              >
                {t('Diff')}
              </button>
              {file.standing !== 'undone' && (
                <button
                  type="button"
                  class="link-button"
                  aria-label={t('Undo {0}', file.path)}
                  onClick={({ currentTarget }) => {
                    leaveFocusBeside(currentTarget);
                    presenter.post({ type: 'undo', turn_id, path: file.path });
                  }}
                  {...lockOf(locked)}
                >
                  {t('Undo')}
                </button>
              )}
            </span>
            {undo_open.includes(file.path) && (
              <span class="fact-note">{t('An undo was begun, and the log does not have its end.')}</span>
            )}
          </li>
        ))}
      </ul>
      {files.length > 1 && (
        <div class="actions">
          <button
            type="button"
            class="button"
            onClick={() => presenter.post({ type: 'show_change', turn_id })}
          >
            {t('Diff all')}
          </button>
          {undoable.length > 1 && (
            <button
              type="button"
              class="button"
              onClick={({ currentTarget }) => {
                leaveFocusBeside(currentTarget);
                presenter.post({ type: 'undo', turn_id });
              }}
              {...lockOf(locked)}
            >
              {t('Undo all ({0})', undoable.length)}
            </button>
          )}
        </div>
      )}
    </section>
  );
}

/** The button goes once it has done its work; the focus stays in its row instead of falling to the page. */
function leaveFocusBeside(button: HTMLButtonElement): void {
  const beside = button.previousElementSibling;
  if (beside instanceof HTMLElement) beside.focus({ preventScroll: true });
}

function FileFacts({ file }: { file: ChangedFile }): VNode {
  const { added, removed, standing, created, deleted } = file;
  const words = [
    deleted ? t('deleted') : created ? t('new') : '',
    standing === 'undone' ? t('undone') : standing === 'partly_undone' ? t('partly undone') : '',
  ].filter((word) => word !== '');
  return (
    <span class="quiet fact-words">
      <span aria-live="polite">{words.join(', ')}</span>
      {added !== null && removed !== null && (
        <span class="change-counts" title={t('{0} lines added, {1} removed', added, removed)}>
          +{added} −{removed}
        </span>
      )}
    </span>
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

function mayHaveRun({ outcome }: CommandFact): boolean {
  return outcome !== 'refused' && outcome !== 'skipped';
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
