import type { VNode } from 'preact';
import { BoundedText } from './bounded-text.tsx';
import { DiffView } from './diff-view.tsx';
import { Icon } from './icons.tsx';
import { t, translated } from './l10n.ts';
import { Markdown } from './markdown/markdown-view.tsx';
import type { Presenter } from './presenter.ts';
import { ShellText } from './shell-text.tsx';
import { commandOf, prettyArguments } from './tool-lines.ts';
import { visibleText } from './visible-text.ts';
import type { WaitingCall } from './waiting-calls.ts';

interface Props {
  readonly waiting: WaitingCall;
  readonly turnId: string;
  readonly presenter: Presenter;
}

/** What a call wants to do, in full: nothing that would run is left out or cut off. */
export function AskedFor({ waiting, turnId, presenter }: Props): VNode {
  const { call, suspension, asked } = waiting;
  const words = wordsOf(waiting);
  return (
    <>
      {words !== '' && asked !== 'question' && <p>{words}</p>}
      {words !== '' && asked === 'question' && (
        <div class="question">
          <Markdown text={words} end="closed" presenter={presenter} />
        </div>
      )}
      {suspension.changed_since && (
        <p class="changed-since">
          <Icon name="warning" />
          <span>
            {t('The file has changed since you approved this. It is asked again, as it would be made now.')}
          </span>
        </p>
      )}
      {asked !== 'question' && <WhatItDoes waiting={waiting} turnId={turnId} presenter={presenter} />}
      {call.args_cut && suspension.change === null && (
        <p class="cut">{t('Only a part is shown; the log has the rest.')}</p>
      )}
      <Why waiting={waiting} />
    </>
  );
}

/** What is shown below in full is not said again. */
function wordsOf({ call, suspension, asked }: WaitingCall): string {
  if (suspension.reason === 'workflow_held') return translated(suspension.message);
  if (asked === 'question') return suspension.question === '' ? suspension.message : suspension.question;
  const isShown = suspension.change !== null || commandOf(call) !== null;
  return suspension.reason === 'approval' && isShown
    ? translated(suspension.note)
    : translated(suspension.message);
}

function WhatItDoes({ waiting: { call, suspension, asker }, turnId, presenter }: Props): VNode | null {
  const { call_id } = call;
  // Of a child's call the host knows only by what waits.
  const target = asker === null ? {} : { target_id: suspension.id };
  if (suspension.change !== null)
    return (
      <DiffView
        change={suspension.change}
        openDiff={() => presenter.post({ type: 'show_change', turn_id: turnId, call_id, ...target })}
      />
    );
  const command = commandOf(call);
  // Of a workflow that is held, its card shows all of it.
  if (call.name === 'run_workflow' && suspension.reason !== 'approval') return null;
  if (call.args === '') return null;
  return (
    <>
      <BoundedText label={command === null ? t('Arguments') : t('Command')}>
        {command === null ? visibleText(prettyArguments(call.args)) : <ShellText text={command} />}
      </BoundedText>
      {suspension.parts.length > 1 && <Parts parts={suspension.parts} />}
    </>
  );
}

function Parts({ parts }: { parts: readonly string[] }): VNode {
  return (
    <div class="parts">
      <p class="quiet">{t('{0} commands in one line:', parts.length)}</p>
      <ol tabIndex={0}>
        {parts.map((part, index) => (
          <li key={index}>
            <code>
              <ShellText text={part} />
            </code>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Why({ waiting: { suspension } }: { waiting: WaitingCall }): VNode | null {
  const { why, rule, message } = suspension;
  // The mode is in the composer; only an exception to it is news.
  if (rule.startsWith('mode:')) return null;
  if (why !== '' && why !== message) return <p class="quiet">{translated(why)}</p>;
  if (why !== '' || rule === '') return null;
  return (
    <p class="quiet">
      {t('Asked by the rule')} <code>{visibleText(rule)}</code>
    </p>
  );
}
