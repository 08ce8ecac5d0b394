import type { VNode } from 'preact';
import { useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import type { HostMessage } from '../src/presenter/protocol.ts';
import { AccessBanner } from './access-banner.tsx';
import { Announcer } from './announcer.tsx';
import { Composer } from './composer/composer.tsx';
import { Arrivals, afterArrived } from './arrivals.ts';
import { usePressGuard } from './deciding-button.tsx';
import { Header } from './header.tsx';
import { isHostMessage } from './host-message.ts';
import { Notices } from './notices.tsx';
import { ParentLine } from './parent-line.tsx';
import type { Presenter } from './presenter.ts';
import { useReveal } from './reveal.ts';
import { canWrite, INITIAL, isRunning, type State } from './state.ts';
import { apply, applyGesture, type Gesture } from './store.ts';
import { noteAnswer } from './told-answers.ts';
import { useToldFocus } from './told-focus.ts';
import { WorkspaceBanner } from './workspace-banner.tsx';
import { TranscriptView } from './transcript-view.tsx';
import { postToHost } from './vscode-api.ts';

type Change =
  | { readonly from: 'host'; readonly messages: readonly HostMessage[]; readonly at: number }
  | { readonly from: 'person'; readonly gesture: Gesture };

function reduce(state: State, change: Change): State {
  return change.from === 'host'
    ? change.messages.reduce((next, message) => apply(next, message, change.at), state)
    : applyGesture(state, change.gesture);
}

export function App(): VNode {
  const [state, change] = useReducer(reduce, INITIAL);
  const [fault, setFault] = useState<{ readonly error: unknown } | null>(null);
  const presenter = useMemo<Presenter>(
    () => ({
      post: postToHost,
      gesture: (gesture) => change({ from: 'person', gesture }),
    }),
    [],
  );
  useEffect(() => listen(change, (error) => setFault({ error })), []);
  useToldFocus(presenter);
  usePressGuard(state);
  useReveal(state, presenter);
  useStopKey(presenter, isRunning(state) && canWrite(state) && state.stopping === null);
  // What a message did to the state is as bad as what the state does to the view.
  if (fault !== null) throw fault.error;
  return (
    <>
      <Header state={state} presenter={presenter} />
      <ParentLine parent={state.session?.parent} presenter={presenter} />
      <AccessBanner access={state.session?.access} presenter={presenter} />
      <WorkspaceBanner session={state.session} presenter={presenter} />
      <TranscriptView state={state} presenter={presenter} />
      <Notices state={state} presenter={presenter} />
      <Composer state={state} presenter={presenter} />
      <Announcer state={state} />
    </>
  );
}

function listen(change: (change: Change) => void, failed: (error: unknown) => void): () => void {
  const queue = new Arrivals<HostMessage>({
    deliver: (messages) => {
      try {
        change({ from: 'host', messages, at: Date.now() });
      } catch (error) {
        failed(error);
      }
    },
    // What is of the moment can come in portions, whichever child it is of.
    mayWait: ({ type }) => type === 'delta' || type === 'children',
    afterArrived,
  });
  const receive = ({ data }: MessageEvent<unknown>): void => {
    if (isHostMessage(data)) {
      noteAnswer(data);
      queue.push(data);
    } else console.warn('Ledgerline: a message of no known kind was ignored', data);
  };
  window.addEventListener('message', receive);
  postToHost({ type: 'ready' });
  return () => window.removeEventListener('message', receive);
}

function useStopKey(presenter: Presenter, active: boolean): void {
  useEffect(() => {
    if (!active) return undefined;
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.isComposing) return;
      // With another key it is a key of the workbench.
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      presenter.gesture({ kind: 'stop_requested' });
      presenter.post({ type: 'stop' });
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [presenter, active]);
}
