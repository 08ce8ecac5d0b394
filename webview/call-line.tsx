import type { VNode } from 'preact';
import { Approval } from './approval.tsx';
import { Icon } from './icons.tsx';
import type { Presenter } from './presenter.ts';
import { prettyArguments, toolLine } from './tool-lines.ts';
import type { CallEntry, CallResult } from './transcript.ts';

interface Props {
  readonly call: CallEntry & { readonly progress: string };
  /** Its turn can still settle it. */
  readonly isOpen: boolean;
  readonly isDecided: boolean;
  readonly canDecide: boolean;
  readonly presenter: Presenter;
}

/** One line a call, which opens in place; a call that waits for a decision asks for it below. */
export function CallLine({ call, isOpen, isDecided, canDecide, presenter }: Props): VNode {
  const line = toolLine(call);
  const busy = isOpen && call.result === null && (call.state === 'running' || call.state === 'resuming');
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
          {call.result !== null && <ResultText result={call.result} />}
        </div>
      </details>
      {call.progress !== '' && call.result === null && <p class="progress">{call.progress}</p>}
      {call.state === 'suspended' && call.suspension !== null && isOpen && (
        <Approval
          call={call}
          line={line}
          suspension={call.suspension}
          isDecided={isDecided}
          canDecide={canDecide}
          presenter={presenter}
        />
      )}
    </div>
  );
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
