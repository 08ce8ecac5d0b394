import type { VNode } from 'preact';
import { duration, wholeSeconds } from './durations.ts';
import { forkPlace } from './fork-place.ts';
import { Icon } from './icons.tsx';
import { t } from './l10n.ts';
import { Markdown } from './markdown/markdown-view.tsx';
import type { Presenter } from './presenter.ts';

interface AnswerProps {
  /** Undefined while the log does not have it. */
  readonly seq: number | undefined;
  readonly text: string;
  readonly partial: boolean;
  readonly cut: boolean;
  /** More may still come. */
  readonly live: boolean;
  readonly presenter: Presenter;
}

/** A partial answer is dimmed and ends in a broken rule: it never looks as if it just stopped. */
export function AnswerText({ seq, text, partial, cut, live, presenter }: AnswerProps): VNode {
  return (
    <div class={partial ? 'answer partial' : 'answer'} data-seq={seq} {...forkPlace(seq)}>
      <Markdown
        text={text}
        end={live ? 'growing' : cut ? 'cut' : partial ? 'broken' : 'closed'}
        presenter={presenter}
      />
      {cut && <p class="cut">{t('Only the beginning is shown; the log has the rest.')}</p>}
      {partial && (
        <div class="broken-rule" role="separator" aria-label={t('The answer ends here, unfinished')} />
      )}
    </div>
  );
}

interface ThoughtProps {
  readonly seq: number | undefined;
  readonly summary: string;
  readonly ms: number | null;
  readonly live: boolean;
  readonly presenter: Presenter;
}

export function Thought({ seq, summary, ms, live, presenter }: ThoughtProps): VNode {
  return (
    <details class="thought" data-seq={seq} {...forkPlace(seq)}>
      <summary>
        <Icon name="chevron-right" />
        <span>{live ? t('Thinking') : thoughtWords(ms)}</span>
      </summary>
      <Markdown text={summary} end={live ? 'growing' : 'closed'} presenter={presenter} />
    </details>
  );
}

const SECOND_MS = 1000;

export function thoughtWords(ms: number | null): string {
  if (ms === null) return t('Thought');
  return t('Thought for {0}', ms < SECOND_MS ? duration(ms) : wholeSeconds(ms));
}
