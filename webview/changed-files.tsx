import type { VNode } from 'preact';
import { changedFiles, type ChangedFile, type TurnEvidence } from '../src/presenter/turn-evidence.ts';
import { FileName } from './file-name.tsx';
import { t } from './l10n.ts';
import { Act, MoreActs } from './more-acts.tsx';
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
          <FileRow key={file.path} file={file} isOnly={files.length === 1} {...props} />
        ))}
      </ul>
      {files.length > 1 && <ForAll files={files} {...props} />}
      {children}
    </section>
  );
}

interface RowProps extends Props {
  readonly file: ChangedFile;
  readonly isOnly: boolean;
}

/** One line: to look at the change is in view, to take it back is behind it, unless it is all there is or waits for someone. */
function FileRow({ file, isOnly, turn_id, evidence, locked, presenter }: RowProps): VNode {
  const { path, standing } = file;
  const way = standing === 'undone' ? 'redo' : 'undo';
  const note = noteOn(path, evidence);
  const merge = mergeWay(path, evidence);
  const diff = (
    <Act
      name={t('Diff of {0}', path)}
      label={t('Diff')}
      act={() => presenter.post({ type: 'show_change', turn_id, path })}
    />
  );
  return (
    <li class="fact" data-standing={standing}>
      <FileName path={path} presenter={presenter} />
      <FileFacts file={file} />
      <MoreActs name={t('More for {0}', path)} first={diff} open={isOnly || note !== null}>
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
        {merge !== null && (
          <Act
            name={t('Merge {0}', path)}
            label={t('Merge…')}
            locked={locked}
            act={() => presenter.post({ type: 'merge_undo', turn_id, way: merge, path })}
          />
        )}
      </MoreActs>
      {note !== null && <span class="fact-note">{note}</span>}
    </li>
  );
}

/** The way that was refused last; null where none was, or nothing can be merged. */
function mergeWay(path: string, evidence: TurnEvidence): 'undo' | 'redo' | null {
  if (evidence.undo_mergeable.includes(path)) return 'undo';
  return evidence.redo_mergeable.includes(path) ? 'redo' : null;
}

/** What the log says of a file beside its changes: what was begun, refused or opened. */
function noteOn(path: string, evidence: TurnEvidence): string | null {
  if (evidence.undo_open.includes(path)) return t('An undo was begun, and the log does not have its end.');
  if (evidence.redo_open.includes(path)) return t('A redo was begun, and the log does not have its end.');
  if (evidence.merge_opened.includes(path))
    return t('A merge was opened. The log does not have that it took the change back.');
  return mergeWay(path, evidence) === null
    ? null
    : t('Changed since, so it was left as it is. Merge it to decide line by line.');
}

/** The same for all of them. */
function ForAll({
  files,
  turn_id,
  locked,
  presenter,
}: Props & { readonly files: readonly ChangedFile[] }): VNode {
  const counts = {
    undo: files.filter(({ standing }) => standing !== 'undone').length,
    redo: files.filter(({ standing }) => standing !== 'changed').length,
  };
  const ways = (['undo', 'redo'] as const).filter((way) => counts[way] > 1);
  const act = (way: 'undo' | 'redo', look: 'button' | 'link'): VNode => {
    const name = way === 'undo' ? t('Undo all ({0})', counts.undo) : t('Redo all ({0})', counts.redo);
    return (
      <Act
        name={name}
        label={name}
        look={look}
        locked={locked}
        goes
        act={() => presenter.post({ type: way, turn_id })}
      />
    );
  };
  const diff = (
    <Act
      name={t('Diff all')}
      label={t('Diff all')}
      look="button"
      act={() => presenter.post({ type: 'show_change', turn_id })}
    />
  );
  const [way, other] = ways;
  if (way === undefined) return <div class="for-all">{diff}</div>;
  const preview = way === 'undo' ? t('Preview undo') : t('Preview redo');
  return (
    <div class="for-all">
      <MoreActs name={t('More for all files')} first={[diff, act(way, 'button')]} open={false}>
        <Act
          name={preview}
          label={preview}
          act={() => presenter.post({ type: 'preview_undo', turn_id, way })}
        />
        {other !== undefined && act(other, 'link')}
      </MoreActs>
    </div>
  );
}

/** What was done to it, as far as that stands. */
function FileFacts({ file }: { file: ChangedFile }): VNode {
  const { added, removed, standing, created, deleted } = file;
  const isUndone = standing === 'undone';
  const words = [
    isUndone ? '' : deleted ? t('deleted') : created ? t('new') : '',
    isUndone ? t('undone') : standing === 'partly_undone' ? t('partly undone') : '',
  ].filter((word) => word !== '');
  return (
    <span class="quiet fact-words">
      <span aria-live="polite">{words.join(', ')}</span>
      {!isUndone && added !== null && removed !== null && (
        <span class="change-counts" title={t('{0} lines added, {1} removed', added, removed)}>
          +{added} −{removed}
        </span>
      )}
    </span>
  );
}
