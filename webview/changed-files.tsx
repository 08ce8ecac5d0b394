import type { VNode } from 'preact';
import { changedFiles, type ChangedFile, type TurnEvidence } from '../src/presenter/turn-evidence.ts';
import { FileName } from './file-name.tsx';
import { t } from './l10n.ts';
import { lockOf } from './offer.ts';
import type { Presenter } from './presenter.ts';

interface Props {
  readonly turn_id: string;
  readonly evidence: TurnEvidence;
  /** Why nothing can be changed here; null when it can. */
  readonly locked: string | null;
  readonly presenter: Presenter;
}

/** The files of a turn, what became of each, and the ways back and forth again. */
export function ChangedFiles(props: Props): VNode | null {
  const { evidence } = props;
  const files = changedFiles(evidence.changes);
  const children = evidence.children.length > 0 && (
    <p class="quiet">
      {t('Files that subagents changed are not listed here: undo them in their transcripts.')}
    </p>
  );
  if (files.length === 0) return children === false ? null : <section>{children}</section>;
  return (
    <section>
      <h3>{t('Files')}</h3>
      <ul class="facts">
        {files.map((file) => (
          <FileRow key={file.path} file={file} {...props} />
        ))}
      </ul>
      {files.length > 1 && <ForAll files={files} {...props} />}
      {children}
    </section>
  );
}

function FileRow({
  file,
  turn_id,
  evidence,
  locked,
  presenter,
}: Props & { readonly file: ChangedFile }): VNode {
  const { path, standing } = file;
  const way = standing === 'undone' ? 'redo' : 'undo';
  return (
    <li class="fact" data-standing={standing}>
      <FileName path={path} presenter={presenter} />
      <FileFacts file={file} />
      <span class="fact-actions">
        <Act
          name={t('Diff of {0}', path)}
          label={t('Diff')}
          act={() => presenter.post({ type: 'show_change', turn_id, path })}
        />
        <Act
          name={way === 'undo' ? t('Preview undo of {0}', path) : t('Preview redo of {0}', path)}
          label={t('Preview')}
          act={() => presenter.post({ type: 'preview_undo', turn_id, way, path })}
        />
        {standing !== 'undone' && (
          <Act
            name={t('Undo {0}', path)}
            label={t('Undo')}
            locked={locked}
            goes
            act={() => presenter.post({ type: 'undo', turn_id, path })}
          />
        )}
        {standing !== 'changed' && (
          <Act
            name={t('Redo {0}', path)}
            label={t('Redo')}
            locked={locked}
            goes
            act={() => presenter.post({ type: 'redo', turn_id, path })}
          />
        )}
        {evidence.mergeable.includes(path) && (
          <Act
            name={t('Merge {0}', path)}
            label={t('Merge…')}
            locked={locked}
            act={() => presenter.post({ type: 'merge_undo', turn_id, way, path })}
          />
        )}
      </span>
      <FileNote path={path} evidence={evidence} />
    </li>
  );
}

interface ActProps {
  readonly name: string;
  readonly label: string;
  readonly act: () => void;
  readonly locked?: string | null;
  /** The button goes once it has done its work. */
  readonly goes?: boolean;
}

function Act({ name, label, act, locked = null, goes = false }: ActProps): VNode {
  return (
    <button
      type="button"
      class="link-button"
      aria-label={name}
      onClick={({ currentTarget }) => {
        if (goes) leaveFocusBeside(currentTarget);
        act();
      }}
      {...lockOf(locked)}
    >
      {label}
    </button>
  );
}

/** The focus stays in its row instead of falling to the page. */
function leaveFocusBeside(button: HTMLButtonElement): void {
  const beside = button.previousElementSibling;
  if (beside instanceof HTMLElement) beside.focus({ preventScroll: true });
}

/** What the log says of a file beside its changes: what was begun, refused or opened. */
function FileNote({
  path,
  evidence,
}: {
  readonly path: string;
  readonly evidence: TurnEvidence;
}): VNode | null {
  const words = noteOn(path, evidence);
  return words === null ? null : <span class="fact-note">{words}</span>;
}

function noteOn(path: string, evidence: TurnEvidence): string | null {
  if (evidence.undo_open.includes(path)) return t('An undo was begun, and the log does not have its end.');
  if (evidence.redo_open.includes(path)) return t('A redo was begun, and the log does not have its end.');
  if (evidence.merge_opened.includes(path))
    return t('A merge was opened. The log does not have that it took the change back.');
  return evidence.mergeable.includes(path)
    ? t('Changed since, so it was left as it is. Merge it to decide line by line.')
    : null;
}

function ForAll({
  files,
  turn_id,
  locked,
  presenter,
}: Props & { readonly files: readonly ChangedFile[] }): VNode {
  const undoable = files.filter(({ standing }) => standing !== 'undone').length;
  const redoable = files.filter(({ standing }) => standing !== 'changed').length;
  return (
    <div class="actions">
      <button type="button" class="button" onClick={() => presenter.post({ type: 'show_change', turn_id })}>
        {t('Diff all')}
      </button>
      {undoable > 1 && (
        <button
          type="button"
          class="button"
          onClick={() => presenter.post({ type: 'preview_undo', turn_id, way: 'undo' })}
        >
          {t('Preview undo')}
        </button>
      )}
      {undoable > 1 && (
        <button
          type="button"
          class="button"
          onClick={({ currentTarget }) => {
            leaveFocusBeside(currentTarget);
            presenter.post({ type: 'undo', turn_id });
          }}
          {...lockOf(locked)}
        >
          {t('Undo all ({0})', undoable)}
        </button>
      )}
      {redoable > 1 && (
        <button
          type="button"
          class="button"
          onClick={({ currentTarget }) => {
            leaveFocusBeside(currentTarget);
            presenter.post({ type: 'redo', turn_id });
          }}
          {...lockOf(locked)}
        >
          {t('Redo all ({0})', redoable)}
        </button>
      )}
    </div>
  );
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
