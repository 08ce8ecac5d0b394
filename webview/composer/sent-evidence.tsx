import type { VNode } from 'preact';
import { t } from '../l10n.ts';
import { placeOf } from '../../src/presenter/markdown/link-target.ts';
import type { Presenter } from '../presenter.ts';
import { useStanding, type Standing } from '../told-answers.ts';
import type { Attached } from '../transcript.ts';
import { visibleText } from '../visible-text.ts';
import { sizeText } from './image-intake.ts';

interface Props {
  readonly attached: Attached;
  readonly name: string;
  readonly turnId: string;
  readonly index: number;
  readonly presenter: Presenter;
}

const SHORT_DIGITS = 12;

/** What the log proves of something that was sent, and what became of it since. */
export function SentEvidence({ attached, name, turnId, index, presenter }: Props): VNode {
  const standing = useStanding(turnId, index, () =>
    presenter.post({ type: 'check_sent', turn_id: turnId, index }),
  );
  const { kind, path, sha256 } = attached;
  return (
    <div class="sent-evidence" role="group" aria-label={t('What was sent of {0}', visibleText(name))}>
      {path !== null && <p class="evidence-path">{visibleText(path)}</p>}
      <p>
        {sha256 === null ? (
          t('No hash on record')
        ) : (
          <>
            SHA-256 <code title={sha256}>{sha256.slice(0, SHORT_DIGITS)}</code>
          </>
        )}
        {factsOf(attached).map((fact) => (
          <span key={fact} class="evidence-fact">
            {fact}
          </span>
        ))}
      </p>
      {standing !== undefined && standing !== 'none' && (
        <p class="standing" data-standing={standing}>
          {STANDINGS[standing]}
        </p>
      )}
      <p class="evidence-actions">
        {path !== null && kind !== 'folder' && (
          <button
            type="button"
            class="link-button"
            onClick={() => presenter.post(openingFile(attached, path))}
          >
            {t('Open file')}
          </button>
        )}
        <button
          type="button"
          class="link-button"
          onClick={() => presenter.post({ type: 'open_attachment', turn_id: turnId, index })}
        >
          {t('Show as sent')}
        </button>
      </p>
    </div>
  );
}

const STANDINGS = {
  same: t('Unchanged since'),
  changed: t('Changed since'),
  gone: t('No longer there'),
  denied: t('May not be read any more'),
} as const satisfies Record<Exclude<Standing, 'none'>, string>;

function factsOf({
  bytes,
  lines,
  line,
  end_line,
  width,
  height,
  truncated,
  unsaved,
}: Attached): readonly string[] {
  return [
    ...(bytes === null ? [] : [sizeText(bytes)]),
    ...(width === null || height === null ? [] : [t('{0} x {1} pixels', width, height)]),
    ...(line === null ? [] : [linesText(line, end_line ?? line)]),
    ...(line !== null || lines === null ? [] : [lines === 1 ? t('1 line') : t('{0} lines', lines)]),
    ...(truncated ? [t('only a part was sent')] : []),
    ...(unsaved ? [t('with unsaved changes')] : []),
  ];
}

function linesText(first: number, last: number): string {
  return first === last ? t('line {0}', first) : t('lines {0} to {1}', first, last);
}

/** Lines that were given with their text are in the label. */
function openingFile({ name, line }: Attached, path: string): Parameters<Presenter['post']>[0] {
  const at = line ?? placeOf(name)?.line;
  return { type: 'open', path, ...(at === undefined ? {} : { line: at }) };
}
