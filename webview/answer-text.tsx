import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { passages } from './fenced-code.ts';
import { Icon } from './icons.tsx';

/** A partial answer is dimmed and ends in a broken rule: it never looks as if it just stopped. */
export function AnswerText(props: { text: string; partial: boolean; cut: boolean }): VNode {
  const parts = useMemo(() => passages(props.text), [props.text]);
  return (
    <div class={props.partial ? 'answer partial' : 'answer'}>
      {parts.map((part, index) =>
        part.kind === 'code' ? (
          <pre key={index} class="code" tabIndex={0} aria-label={`Code ${part.language}`.trim()}>
            <code>{part.text}</code>
          </pre>
        ) : (
          <p key={index}>{part.text}</p>
        ),
      )}
      {props.cut && <p class="cut">Only the beginning is shown; the log has the rest.</p>}
      {props.partial && (
        <div class="broken-rule" role="separator" aria-label="The answer ends here, unfinished" />
      )}
    </div>
  );
}

export function Thought({ summary, live }: { summary: string; live: boolean }): VNode {
  return (
    <details class="thought">
      <summary>
        <Icon name="chevron-right" />
        <span>{live ? 'Thinking' : 'Thought'}</span>
      </summary>
      <p>{summary}</p>
    </details>
  );
}
