import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { CallResult } from './call-entry.ts';
import { CallImages } from './call-images.tsx';
import { DecideAll } from './decide-all.tsx';
import { DecisionCard } from './decision-card.tsx';
import { FileName } from './file-name.tsx';
import { endOf, forkPlace } from './fork-place.ts';
import { Icon } from './icons.tsx';
import { t } from './l10n.ts';
import { useOpenedInView } from './opened-in-view.ts';
import type { Presenter } from './presenter.ts';
import type { LiveEntry } from './state.ts';
import { fileOf, prettyArguments, toolLine, type ToolLine } from './tool-lines.ts';
import { verdictsOf } from './verdicts.ts';
import { decidableTogether, othersOfRound, undecided, type WaitingCall } from './waiting-calls.ts';

interface Props {
  readonly call: LiveEntry;
  readonly turnId: string;
  /** The log has a change that it made. */
  readonly changed: boolean;
  /** Its turn can still settle it. */
  readonly isOpen: boolean;
  /** Its turn has ended, by what is shown of it. */
  readonly isOver: boolean;
  /** All calls of its turn that wait. */
  readonly waiting: readonly WaitingCall[];
  /** Why nothing can be decided here; null when it can. */
  readonly locked: string | null;
  readonly presenter: Presenter;
}

/** One line a call, which opens in place; a call that waits for a decision asks for it below. */
export function CallLine(props: Props): VNode {
  const { call, turnId, changed, isOpen, isOver, waiting, locked, presenter } = props;
  const [openings, setOpenings] = useState(0);
  const [unfolded, setUnfolded] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  useOpenedInView(box, openings);
  const own = waiting.find((one) => one.asker === null && one.call.call_id === call.call_id);
  const line = lineOf(call, own, isOver);
  const busy = isOpen && call.result === null && (call.state === 'running' || call.state === 'resuming');
  const together = decidableTogether(waiting);
  const file = fileOf(call);
  return (
    <div
      class="call"
      data-seq={call.seq}
      data-call-id={call.call_id}
      data-state={call.state}
      {...forkPlace(endOf(call))}
    >
      <div class="call-head" title={`${call.name} ${line.folder}${line.subject}\n${call.ts}`}>
        <button
          type="button"
          class="call-toggle"
          aria-expanded={unfolded}
          aria-label={[line.verb, `${line.folder}${line.subject}`, line.duration, line.outcome]
            .filter((part) => part !== '')
            .join(' ')}
          onClick={() => {
            setUnfolded(!unfolded);
            if (!unfolded) setOpenings(openings + 1);
          }}
        >
          {line.verb}
        </button>
        {file === null ? (
          <span class="subject">
            {line.folder !== '' && <span class="folder">{line.folder}</span>}
            <span>{line.subject}</span>
          </span>
        ) : (
          <FileName path={file.path} line={file.line} presenter={presenter} />
        )}
        <span class="duration">{line.duration}</span>
        <span class="outcome" data-tone={line.tone}>
          {busy ? <Icon name="loading" spin /> : null}
          {line.outcome}
        </span>
        {changed && (
          <button
            type="button"
            class="link-button line-action"
            aria-label={t('Diff of {0}', `${line.folder}${line.subject}`)}
            onClick={() => presenter.post({ type: 'show_change', turn_id: turnId, call_id: call.call_id })}
          >
            {t('Diff')}
          </button>
        )}
      </div>
      <CallImages
        images={call.result?.images ?? []}
        turnId={turnId}
        callId={call.call_id}
        presenter={presenter}
      />
      {unfolded && (
        <div class="call-body" ref={box}>
          <pre tabIndex={0} aria-label={t('Arguments')}>
            {prettyArguments(call.args)}
          </pre>
          {verdictsOf(call).map((verdict, index) => (
            <p key={index} class="verdict">
              {verdict}
            </p>
          ))}
          {call.result !== null && (
            <ResultText
              result={call.result}
              openWhole={() =>
                presenter.post({ type: 'open_output', turn_id: turnId, call_id: call.call_id })
              }
            />
          )}
        </div>
      )}
      {call.progress.trim() !== '' && call.result === null && (
        <pre class="progress" aria-label={t('Output so far')}>
          {lastLines(call.progress)}
        </pre>
      )}
      {own !== undefined && (
        <DecisionCard
          waiting={own}
          others={othersOfRound(waiting, own)}
          isPrimary={undecided(waiting)[0] === own}
          locked={locked}
          turnId={turnId}
          presenter={presenter}
        />
      )}
      {own !== undefined && together.at(-1) === own && (
        <DecideAll approvals={together} locked={locked} presenter={presenter} />
      )}
    </div>
  );
}

/** A decision on its way is not in the log yet, but the call no longer needs the person. */
function lineOf(call: LiveEntry, own: WaitingCall | undefined, over: boolean): ToolLine {
  const line = toolLine(call, { over });
  return own?.standing.kind === 'sent' ? { ...line, outcome: t('sent'), tone: 'quiet' } : line;
}

const PROGRESS_LINES = 5;

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-PROGRESS_LINES).join('\n');
}

function ResultText({ result, openWhole }: { result: CallResult; openWhole: () => void }): VNode {
  const error = result.error === null ? '' : `${result.error.kind}: ${result.error.message}`;
  const text = [error, result.output].filter((part) => part !== '').join('\n');
  return (
    <>
      <pre tabIndex={0} aria-label={result.ok ? t('Output') : t('Error')}>
        {text === '' ? t('(no output)') : text}
      </pre>
      {result.cut && (
        <p class="cut">
          {t('Only a part is shown.')}{' '}
          <button type="button" class="link-button" onClick={openWhole}>
            {t('Open whole output')}
          </button>
        </p>
      )}
    </>
  );
}
