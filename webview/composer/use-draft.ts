import { useEffect, useRef, useState } from 'preact/hooks';
import type { Presenter } from '../presenter.ts';
import { hasPrompt, type Draft, type State } from '../state.ts';
import { keep, readKept } from '../vscode-api.ts';
import {
  inSession,
  isEmpty,
  joined,
  NO_DRAFT,
  reconciled,
  restoredDraft,
  withoutBytes,
  type Held,
} from './draft-state.ts';

/** Often enough that a reload in the middle of a word costs nothing. */
const POST_MS = 150;

export interface DraftHandle {
  readonly draft: Draft;
  readonly change: (next: (draft: Draft) => Draft) => void;
}

/** The draft of the session that is shown. The page and the host keep it; each session has its own. */
export function useDraft(state: State, presenter: Presenter, taken: () => void): DraftHandle {
  const [held, setHeld] = useState<Held>(() => restoredDraft(readKept()));
  const sessionId = state.session?.session_id;
  const change: DraftHandle['change'] = (next) =>
    setHeld((now) => ({ ...now, draft: next(now.draft), at: Date.now() }));

  useEffect(() => {
    if (sessionId !== undefined) setHeld((now) => inSession(now, sessionId));
  }, [sessionId]);
  useEffect(() => {
    const { kept } = state;
    if (kept !== null) setHeld((now) => reconciled(inSession(now, kept.session_id), kept));
  }, [state.kept]);
  useEffect(() => {
    const { client_turn_id } = held.draft;
    if (client_turn_id !== null && hasPrompt(state, client_turn_id)) change(() => NO_DRAFT);
  }, [held.draft, state.blocks]);
  useEffect(() => {
    const { offered } = state;
    if (offered === null) return;
    change((current) => joined(offered, current));
    presenter.gesture({ kind: 'draft_taken' });
    taken();
  }, [state.offered]);
  useEffect(() => {
    const { sending } = state;
    keep({
      sending: sending === null ? null : { ...sending, attachments: withoutBytes(sending.attachments) },
    });
  }, [state.sending]);
  useKeeping(held, presenter);
  return { draft: held.draft, change };
}

/** The page keeps every letter at once; the host gets them a moment later, and at once when the page may go. */
function useKeeping(held: Held, presenter: Presenter): void {
  const pending = useRef<Held | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** Images whose bytes the host has already. */
  const known = useRef(new Set<string>());

  const flush = (): void => {
    clearTimeout(timer.current);
    timer.current = undefined;
    const { current } = pending;
    pending.current = null;
    if (current === null || current.session_id === null) return;
    const { session_id, draft, at } = current;
    const attachments = draft.attachments.map((one) =>
      known.current.has(one.id) ? { ...one, data: undefined } : one,
    );
    for (const { id, data } of draft.attachments) if (data !== undefined) known.current.add(id);
    presenter.post({ type: 'draft', session_id, text: draft.text, attachments, at });
  };
  useEffect(() => {
    const { session_id, draft, at } = held;
    if (session_id === null) return;
    if (pending.current !== null && pending.current.session_id !== session_id) flush();
    keep({ draft: { session_id, text: draft.text, attachments: withoutBytes(draft.attachments), at } });
    if (at === 0) return;
    pending.current = held;
    // What was sent or thrown away is not to come back, whatever happens next.
    if (isEmpty(draft)) flush();
    else timer.current ??= setTimeout(flush, POST_MS);
  }, [held]);
  useEffect(() => {
    window.addEventListener('pagehide', flush);
    window.addEventListener('blur', flush);
    document.addEventListener('visibilitychange', flush);
    return () => {
      window.removeEventListener('pagehide', flush);
      window.removeEventListener('blur', flush);
      document.removeEventListener('visibilitychange', flush);
    };
  }, []);
}
