import type { KeptDraft } from '../../src/presenter/attachment.ts';
import type { Chosen, Draft, Unsaved } from '../state.ts';
import type { Walk } from './history.ts';
import { withBytesOf } from './image-bytes.ts';
import { imageBytes, LIMITS } from './image-intake.ts';

export const NO_DRAFT: Draft = { client_turn_id: null, text: '', attachments: [] };

/** The composer of one session. */
export interface Held {
  /** Null until the page knows which session it shows. */
  readonly session_id: string | null;
  readonly draft: Draft;
  /** Where one stands among earlier prompts, with the words that were left for them; null at the draft. */
  readonly walk: Walk | null;
  /** When it last changed (milliseconds since 1970); 0 when nobody has touched it. */
  readonly at: number;
}

export function isEmpty({ text, attachments }: Draft): boolean {
  return text.trim() === '' && attachments.length === 0;
}

/** Both, one after the other: nothing that was typed is lost for something else. */
export function joined(first: Draft, second: Draft): Draft {
  if (isEmpty(second)) return first;
  const isKnown = (one: Chosen): boolean =>
    first.attachments.some((known) => known.id === one.id || isSame(known, one));
  const attachments = [...first.attachments, ...second.attachments.filter((one) => !isKnown(one))];
  if (first.text === second.text) return { ...second, attachments };
  const text = [first.text, second.text].filter((one) => one.trim() !== '').join('\n\n');
  return { ...NO_DRAFT, text, attachments };
}

/** What the page kept. A prompt that was on its way is a draft again, until the log turns out to have it. */
export function restoredDraft(kept: { draft: KeptDraft | null; sending: Unsaved | null }): Held {
  const { draft: known, sending } = kept;
  const draft: Draft =
    known === null ? NO_DRAFT : { ...NO_DRAFT, text: known.text, attachments: known.attachments };
  return {
    session_id: known?.session_id ?? null,
    draft: sending === null ? draft : joined(sending, draft),
    walk: known?.walk ?? null,
    at: known?.at ?? 0,
  };
}

/** Another session is shown. Words that were typed before any was known go to the first one. */
export function inSession(held: Held, sessionId: string): Held {
  if (held.session_id === sessionId) return held;
  if (held.session_id === null) return { ...held, session_id: sessionId };
  return { session_id: sessionId, draft: NO_DRAFT, walk: null, at: 0 };
}

/** What the page has and what the host kept are one draft: the later of the two, with all bytes that are known. */
export function reconciled(held: Held, kept: KeptDraft): Held {
  if (held.session_id !== kept.session_id) return held;
  if (kept.at > held.at) {
    const { text, at, walk = null } = kept;
    const attachments = withBytesOf(kept.attachments, held.draft.attachments);
    return { ...held, draft: { ...NO_DRAFT, text, attachments }, walk, at };
  }
  const attachments = withBytesOf(held.draft.attachments, kept.attachments);
  return { ...held, draft: { ...held.draft, attachments } };
}

/** What is kept of it, beside the bytes of images; null while it is of no session. */
export function keptOf({ session_id, draft, walk, at }: Held): KeptDraft | null {
  if (session_id === null) return null;
  const { text, attachments } = draft;
  return {
    session_id,
    text,
    attachments: [...attachments],
    at,
    ...(walk === null ? {} : { walk: { ...walk, texts: { ...walk.texts } } }),
  };
}

/** An image whose bytes did not survive: it is named, and not sent. */
export function isLost({ kind, data, path }: Chosen): boolean {
  return kind === 'image' && data === undefined && path === undefined;
}

export function withoutBytes(attachments: readonly Chosen[]): Chosen[] {
  return attachments.map((one) => (one.data === undefined ? one : { ...one, data: undefined }));
}

type Over = 'images' | 'image_bytes' | 'attachments';

export interface Attached {
  readonly draft: Draft;
  /** What there was no room for. */
  readonly left: readonly { readonly name: string; readonly over: Over }[];
}

/** Each once, and as many as the host takes: what it would refuse is not taken in the first place. */
export function withAttached(draft: Draft, more: readonly Chosen[]): Attached {
  const attachments = [...draft.attachments];
  const left: Attached['left'][number][] = [];
  for (const one of more) {
    if (attachments.some((known) => isSame(known, one))) continue;
    const over = overWith(attachments, one);
    if (over === null) attachments.push(one);
    else left.push({ name: one.label ?? one.path ?? one.kind, over });
  }
  return { draft: { ...draft, client_turn_id: null, attachments }, left };
}

/** Which limit one more would be over; null where it fits. */
function overWith(attachments: readonly Chosen[], one: Chosen): Over | null {
  if (attachments.length >= LIMITS.attachments) return 'attachments';
  if (one.kind !== 'image') return null;
  const images = attachments.filter(({ kind }) => kind === 'image');
  if (images.length >= LIMITS.images) return 'images';
  const bytes = [...images, one].reduce((sum, { data = '' }) => sum + imageBytes(data), 0);
  return bytes > LIMITS.imagesBytes ? 'image_bytes' : null;
}

const FILES: ReadonlySet<string> = new Set(['file', 'editor']);

/** An editor is its file. Lines that were given with their text are what the text is; what names nothing is only itself. */
export function isSame(a: Omit<Chosen, 'id'>, b: Omit<Chosen, 'id'>): boolean {
  if (a.data !== undefined || b.data !== undefined) return a.data === b.data;
  if (a.kind === 'problems') return b.kind === 'problems';
  if (a.path === undefined && a.text === undefined) return false;
  const isOneKind = a.kind === b.kind || (FILES.has(a.kind) && FILES.has(b.kind));
  const isOnePlace = a.path === b.path && a.start_line === b.start_line && a.end_line === b.end_line;
  return isOneKind && isOnePlace && (a.start_line !== undefined || a.text === b.text);
}
