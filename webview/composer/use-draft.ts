import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { KeptDraft } from '../../src/presenter/attachment.ts';
import type { Presenter } from '../presenter.ts';
import { hasPrompt, type Draft, type State } from '../state.ts';
import { keep, readKept } from '../vscode-api.ts';
import {
  inSession,
  joined,
  NO_DRAFT,
  reconciled,
  restoredDraft,
  withoutBytes,
  type Held,
} from './draft-state.ts';

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
  useKeeping(held, state.kept, presenter);
  return { draft: held.draft, change };
}

/**
 * Every letter goes to the host at once: a page that is thrown away gets no time to say its last words. The page
 * keeps it as well, so that it is there before the host answers.
 */
function useKeeping(held: Held, kept: KeptDraft | null, presenter: Presenter): void {
  /** Images whose bytes the host has already. */
  const known = useRef(new Set<string>());
  useLayoutEffect(() => {
    const { session_id, draft, at } = held;
    if (session_id === null) return;
    keep({ draft: { session_id, text: draft.text, attachments: withoutBytes(draft.attachments), at } });
    const isNews = at > 0 && !(kept?.session_id === session_id && kept.at === at);
    const attachments = draft.attachments.map((one) =>
      known.current.has(one.id) ? { ...one, data: undefined } : one,
    );
    if (isNews) presenter.post({ type: 'draft', session_id, text: draft.text, attachments, at });
    // The host forgets what a draft no longer holds; it may come back when the host refuses a message.
    known.current = new Set(
      draft.attachments.flatMap(({ id, data }) => (data !== undefined || known.current.has(id) ? [id] : [])),
    );
  }, [held]);
}
