import type { VNode } from 'preact';
import { SentChips } from './composer/chips.tsx';
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
  const isLong = prompt.text.length > LONGEST_PROMPT;
  return (
    <div class="prompt" data-seq={prompt.seq} title={prompt.ts}>
      {isLong ? `${prompt.text.slice(0, LONGEST_PROMPT)}…` : prompt.text}
      {isLong && <p class="cut">{t('Only the beginning is shown; the log has the rest.')}</p>}
      <SentChips attachments={prompt.attachments} turnId={turnId} presenter={presenter} />
    </div>
  );
}
