import type { VNode } from 'preact';
import { SentChips } from './composer/chips.tsx';
import { t } from './l10n.ts';
import type { Prompt } from './transcript.ts';

/** What is pasted is rarely read again: of a long prompt the beginning is drawn, though all of it is here. */
const LONGEST_PROMPT = 64 * 1024;

export function PromptBox({ prompt }: { prompt: Prompt }): VNode {
  const isLong = prompt.text.length > LONGEST_PROMPT;
  return (
    <div class="prompt" data-seq={prompt.seq} title={prompt.ts}>
      {isLong ? `${prompt.text.slice(0, LONGEST_PROMPT)}…` : prompt.text}
      {isLong && <p class="cut">{t('Only the beginning is shown; the log has the rest.')}</p>}
      <SentChips attachments={prompt.attachments} />
    </div>
  );
}
