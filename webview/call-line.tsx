import type { VNode } from 'preact';
import type { CallResult } from './call-entry.ts';
import { DecideAll } from './decide-all.tsx';
import { DecisionCard } from './decision-card.tsx';
import { Icon } from './icons.tsx';
import type { Presenter } from './presenter.ts';
import type { LiveEntry } from './state.ts';
import { prettyArguments, toolLine, type ToolLine } from './tool-lines.ts';
import { verdictsOf } from './verdicts.ts';
import { decidableTogether, othersOfRound, undecided, type WaitingCall } from './waiting-calls.ts';

interface Props {
  readonly call: LiveEntry;
  /** Its turn can still settle it. */
  readonly isOpen: boolean;
  /** All calls of its turn that wait. */
  readonly waiting: readonly WaitingCall[];
  /** Why nothing can be decided here; null when it can. */
  readonly locked: string | null;
  readonly presenter: Presenter;
}

/** One line a call, which opens in place; a call that waits for a decision asks for it below. */
export function CallLine({ call, isOpen, waiting, locked, presenter }: Props): VNode {
  const own = waiting.find((one) => one.call.call_id === call.call_id);
  const line = lineOf(call, own);
  const busy = isOpen && call.result === null && (call.state === 'running' || call.state === 'resuming');
  const together = decidableTogether(waiting);
  return (
    <div class="call" data-call-id={call.call_id} data-state={call.state}>
      <details>
        <summary title={`${call.name} ${line.folder}${line.subject}\n${call.ts}`}>
          <span class="verb">{line.verb}</span>
          <span class="subject">
            {line.folder !== '' && <span class="folder">{line.folder}</span>}
            <span>{line.subject}</span>
          </span>
          <span class="duration">{line.duration}</span>
          <span class="outcome" data-tone={line.tone}>
            {busy ? <Icon name="loading" spin /> : null}
            {line.outcome}
          </span>
        </summary>
        <div class="call-body">
          <pre tabIndex={0} aria-label="Arguments">
            {prettyArguments(call.args)}
          </pre>
          {verdictsOf(call).map((verdict, index) => (
            <p key={index} class="verdict">
              {verdict}
            </p>
          ))}
          {call.result !== null && <ResultText result={call.result} />}
        </div>
      </details>
      {call.progress !== '' && call.result === null && <p class="progress">{call.progress}</p>}
      {own !== undefined && (
        <DecisionCard
          waiting={own}
          others={othersOfRound(waiting, own)}
          isPrimary={undecided(waiting)[0] === own}
          locked={locked}
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
function lineOf(call: LiveEntry, own: WaitingCall | undefined): ToolLine {
  const line = toolLine(call);
  return own?.standing.kind === 'sent' ? { ...line, outcome: 'sent', tone: 'quiet' } : line;
}

function ResultText({ result }: { result: CallResult }): VNode {
  const error = result.error === null ? '' : `${result.error.kind}: ${result.error.message}`;
  const text = [error, result.output].filter((part) => part !== '').join('\n');
  return (
    <>
      <pre tabIndex={0} aria-label={result.ok ? 'Output' : 'Error'}>
        {text === '' ? '(no output)' : text}
      </pre>
      {result.cut && <p class="cut">Only a part is shown; the log has the rest.</p>}
    </>
  );
}
