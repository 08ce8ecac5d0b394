import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import { AnswerText, Thought } from './answer-text.tsx';
import { CallLine } from './call-line.tsx';
import { SentChips } from './composer/chips.tsx';
import { MarkLine } from './mark-line.tsx';
import type { Presenter } from './presenter.ts';
import { liveCall, type LiveCall, type Stream, type Told } from './state.ts';
import { StateLine } from './state-line.tsx';
import type { Entry, Prompt, Turn } from './transcript.ts';
import type { TurnState } from './turn-evidence.ts';
import { waitingCalls, type WaitingCall } from './waiting-calls.ts';
import { unreachable } from './unreachable.ts';

export interface TurnProps {
  readonly turn: Turn;
  readonly turnState: TurnState;
  readonly told: Told | null;
  readonly stream: Stream | null;
  readonly calls: Readonly<Record<string, LiveCall>>;
  readonly isLast: boolean;
  readonly stopping: boolean;
  readonly newsAt: number;
  /** Suspensions with a decision on its way. */
  readonly decided: readonly string[];
  /** Why nothing can be decided here; null when it can. */
  readonly locked: string | null;
  readonly presenter: Presenter;
}

/** Draws the turn again only when something of it changed. */
export function TurnSlot(props: TurnProps): VNode {
  return useMemo(() => <TurnView {...props} />, Object.values(props));
}

function TurnView(props: TurnProps): VNode {
  const { turn, turnState, stream } = props;
  const isOpen = props.isLast && (turnState === 'running' || turnState === 'waiting');
  const waiting = isOpen ? waitingCalls(turn, props.calls, props.decided) : [];
  return (
    <article
      role="article"
      class="turn"
      data-turn-id={turn.turn_id}
      data-state={turnState}
      aria-label={labelOf(turn)}
    >
      {turn.prompt !== null && <PromptBox prompt={turn.prompt} />}
      {turn.entries.map((entry) => (
        <EntryView key={entry.seq} entry={entry} props={props} isOpen={isOpen} waiting={waiting} />
      ))}
      {stream !== null && stream.reasoning !== '' && (
        <Thought summary={stream.reasoning} live={stream.text === ''} />
      )}
      {stream !== null && stream.text !== '' && <AnswerText text={stream.text} partial={false} cut={false} />}
      <StateLine {...props} waiting={waiting} />
    </article>
  );
}

function labelOf(turn: Turn): string {
  const text = turn.prompt?.text ?? '';
  return text === '' ? 'Turn' : `Turn: ${text.slice(0, 80)}`;
}

function PromptBox({ prompt }: { prompt: Prompt }): VNode {
  return (
    <div class="prompt" title={prompt.ts}>
      {prompt.text}
      {prompt.cut && <p class="cut">Only the beginning is shown; the log has the rest.</p>}
      <SentChips attachments={prompt.attachments} />
    </div>
  );
}

interface EntryProps {
  readonly entry: Entry;
  readonly props: TurnProps;
  readonly isOpen: boolean;
  readonly waiting: readonly WaitingCall[];
}

function EntryView({ entry, props, isOpen, waiting }: EntryProps): VNode {
  switch (entry.kind) {
    case 'text':
      return <AnswerText text={entry.text} partial={entry.partial} cut={entry.cut} />;
    case 'thought':
      return <Thought summary={entry.summary} live={false} />;
    case 'call':
      return (
        <CallLine
          call={liveCall(props.calls, entry)}
          isOpen={isOpen}
          waiting={waiting}
          locked={props.locked}
          presenter={props.presenter}
        />
      );
    case 'mark':
      return <MarkLine mark={entry} presenter={props.presenter} />;
    default:
      return unreachable(entry);
  }
}
