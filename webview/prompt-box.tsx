import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { SentChips } from './composer/chips.tsx';
import { promptBeginning } from './folded-prompt.ts';
import { forkPlace } from './fork-place.ts';
import { Icon } from './icons.tsx';
import { t } from './l10n.ts';
import type { Presenter } from './presenter.ts';
import type { Prompt } from './transcript.ts';

/** What is pasted is rarely read again: of a long prompt the beginning is drawn, though all of it is here. */
const LONGEST_PROMPT = 64 * 1024;

interface Props {
  readonly prompt: Prompt;
  readonly turnId: string;
  readonly presenter: Presenter;
}

export function PromptBox({ prompt, turnId, presenter }: Props): VNode {
  return (
    <div class="prompt" data-seq={prompt.seq} title={prompt.ts} {...forkPlace(prompt.seq)}>
      <PromptText text={prompt.text} />
      <SentChips attachments={prompt.attachments} turnId={turnId} presenter={presenter} />
      <PromptActions seq={prompt.seq} presenter={presenter} />
    </div>
  );
}

/** A prompt is never changed: it is said anew in a fork that has all before it. */
function PromptActions({ seq, presenter }: { seq: number; presenter: Presenter }): VNode | null {
  if (seq < 1) return null;
  const edit = t('Edit in a fork: the words go back into the message field, nothing is sent');
  const fork = t('Fork from here: a new session with everything up to this message');
  return (
    <div class="prompt-actions">
      <button
        type="button"
        class="icon-button prompt-edit"
        aria-label={t('Edit')}
        title={edit}
        onClick={() => presenter.post({ type: 'edit_prompt', seq })}
      >
        <Icon name="edit" />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label={t('Fork from here')}
        title={fork}
        onClick={() => presenter.post({ type: 'fork', at_seq: seq, summary: false })}
      >
        <Icon name="repo-forked" />
      </button>
    </div>
  );
}

/** Not a turn yet: the log does not have it. */
export function SendingPrompt({ text }: { text: string }): VNode {
  return (
    <div class="prompt sending" aria-label={t('Sending')}>
      <PromptText text={text} />
    </div>
  );
}

function PromptText({ text }: { text: string }): VNode {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > LONGEST_PROMPT;
  const drawn = isLong ? `${text.slice(0, LONGEST_PROMPT)}…` : text;
  const beginning = promptBeginning(drawn);
  if (beginning === null) return <>{drawn}</>;
  return (
    <>
      {isWhole ? drawn : `${beginning}…`}
      {isWhole && isLong && <p class="cut">{t('Only the beginning is shown; the log has the rest.')}</p>}
      <p>
        <button type="button" class="link-button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? t('Show less') : t('Show all')}
        </button>
      </p>
    </>
  );
}
