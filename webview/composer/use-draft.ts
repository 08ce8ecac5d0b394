import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { KeptDraft } from '../../src/presenter/attachment.ts';
import { t } from '../l10n.ts';
import type { Presenter } from '../presenter.ts';
import { hasPrompt, type Chosen, type Draft, type State } from '../state.ts';
import { keep, readKept } from '../vscode-api.ts';
import {
  inSession,
  joined,
  keptOf,
  NO_DRAFT,
  reconciled,
  restoredDraft,
  withAttached,
  withoutBytes,
  type Attached,
  type Held,
} from './draft-state.ts';
import type { Step } from './history.ts';
import { LIMITS, sizeText } from './image-intake.ts';

export interface DraftHandle extends Pick<Held, 'session_id' | 'draft' | 'walk'> {
  readonly change: (next: (draft: Draft) => Draft) => void;
  /** To the draft of the session that it was meant for, or else nowhere; what is not taken is told. */
  readonly attach: (more: readonly Chosen[], meantFor?: string | null) => void;
  /** To an earlier prompt, or back. */
  readonly step: (to: Step) => void;
  /** It was sent: nothing is left of it, nor of what was left for it. */
  readonly clear: () => void;
}

/** The draft of the session that is shown. The page and the host keep it; each session has its own. */
export function useDraft(state: State, presenter: Presenter, taken: () => void): DraftHandle {
  const [held, setHeld] = useState<Held>(() => restoredDraft(readKept()));
  const sessionId = state.session?.session_id;
  const latest = useRef(held);
  const put = (next: Held): void => {
    latest.current = next;
    setHeld(next);
  };
  const update = (next: (now: Held) => Omit<Held, 'at'>): void =>
    put({ ...next(latest.current), at: Date.now() });
  const change: DraftHandle['change'] = (next) => update((now) => ({ ...now, draft: next(now.draft) }));
  const clear = (): void => update((now) => ({ ...now, draft: NO_DRAFT, walk: null }));
  const step = ({ text, walk }: Step): void =>
    update((now) => ({ ...now, draft: { ...now.draft, client_turn_id: null, text }, walk }));
  const attach: DraftHandle['attach'] = (more, meantFor = null) => {
    const now = latest.current;
    if (meantFor !== null && meantFor !== now.session_id) {
      for (const one of more)
        refuse(t('Another session was opened meanwhile. {0} was not attached.', nameOf(one)));
      return;
    }
    const { draft, left } = withAttached(now.draft, more);
    change(() => draft);
    const had = new Set(now.draft.attachments.map(({ id }) => id));
    const fresh = draft.attachments.map(({ id }) => id).filter((id) => !had.has(id));
    // What only the host knows, such as how large a file is, is told at once and not when it is sent.
    if (fresh.length > 0)
      presenter.post({ type: 'check_attachments', attachments: withoutBytes(draft.attachments), fresh });
    for (const one of left) refuse(noRoomFor(one));
  };
  const refuse = (message: string): void => presenter.gesture({ kind: 'not_attached', message });

  useEffect(() => {
    if (sessionId !== undefined) put(inSession(latest.current, sessionId));
  }, [sessionId]);
  useEffect(() => {
    const { kept } = state;
    if (kept !== null) put(reconciled(inSession(latest.current, kept.session_id), kept));
  }, [state.kept]);
  useEffect(() => {
    const unfit = new Set(state.unfit);
    if (unfit.size > 0)
      change((now) => ({ ...now, attachments: now.attachments.filter(({ id }) => !unfit.has(id)) }));
  }, [state.unfit]);
  useEffect(() => {
    const { client_turn_id } = held.draft;
    if (client_turn_id !== null && hasPrompt(state, client_turn_id)) clear();
  }, [held.draft, state.blocks]);
  useEffect(() => {
    const { offered } = state;
    if (offered === null) return;
    const isRefused = offered.client_turn_id !== null;
    // What was sent and comes back is whole; what is new is taken as far as there is room.
    const words = isRefused ? offered : { ...offered, attachments: [] };
    change((current) => joined(words, current));
    if (!isRefused) attach(offered.attachments);
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
  const { session_id, draft, walk } = held;
  return { session_id, draft, walk, change, attach, step, clear };
}

function nameOf({ label, path, kind }: Chosen): string {
  return label ?? path ?? kind;
}

function noRoomFor({ name, over }: Attached['left'][number]): string {
  if (over === 'image_bytes')
    return t(
      'All images of a message may have {0}. {1} was not attached.',
      sizeText(LIMITS.imagesBytes),
      name,
    );
  return over === 'images'
    ? t('At most {0} images fit into a message. {1} was not attached.', LIMITS.images, name)
    : t('At most {0} attachments fit into a message. {1} was not attached.', LIMITS.attachments, name);
}

/**
 * Every letter goes to the host at once: a page that is thrown away gets no time to say its last words. The page
 * keeps it as well, so that it is there before the host answers.
 */
function useKeeping(held: Held, kept: KeptDraft | null, presenter: Presenter): void {
  /** Images whose bytes the host has already. */
  const known = useRef(new Set<string>());
  useLayoutEffect(() => {
    const now = keptOf(held);
    if (now === null) return;
    const { session_id, at } = now;
    keep({ draft: { ...now, attachments: withoutBytes(now.attachments) } });
    const isNews = at > 0 && !(kept?.session_id === session_id && kept.at === at);
    const attachments = now.attachments.map((one) =>
      known.current.has(one.id) ? { ...one, data: undefined } : one,
    );
    if (isNews) presenter.post({ type: 'draft', ...now, attachments });
    // The host forgets what a draft no longer holds; it may come back when the host refuses a message.
    known.current = new Set(
      now.attachments.flatMap(({ id, data }) => (data !== undefined || known.current.has(id) ? [id] : [])),
    );
  }, [held]);
}
