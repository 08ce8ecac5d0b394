import { useEffect, useState } from 'preact/hooks';
import type { HostMessage } from '../src/presenter/protocol.ts';
import { HeldImages } from './held-images.ts';

export type Standing = Extract<HostMessage, { type: 'attachment_standing' }>['standing'];

/**
 * What the page asks the host for when somebody looks at it, and nothing else is made of: bytes of pictures, and whether
 * a file is still the same. Kept beside the state, which is copied with every message.
 */
const IMAGES = new HeldImages((address) => URL.revokeObjectURL(address));
const STANDINGS = new Map<string, Standing>();
const LISTENERS = new Set<() => void>();

/** The answers among what the host says. */
export function noteAnswer(message: HostMessage): void {
  if (message.type !== 'image' && message.type !== 'attachment_standing') return;
  if (message.type === 'image') {
    const { sha256, mime, data } = message;
    IMAGES.tell(sha256, () => (data === null ? { address: null, bytes: 0 } : addressOf(data, mime)));
  } else STANDINGS.set(`${message.turn_id}/${message.index}`, message.standing);
  for (const listener of LISTENERS) listener();
}

function addressOf(data: string, mime: string): { address: string; bytes: number } {
  const bytes = Uint8Array.from(atob(data), (char) => char.codePointAt(0) ?? 0);
  return { address: URL.createObjectURL(new Blob([bytes], { type: mime })), bytes: bytes.length };
}

/** Undefined until the host has answered. */
export function useImage(sha256: string, ask: () => void): string | null | undefined {
  useAnswers();
  useEffect(() => IMAGES.hold(sha256, ask), [sha256]);
  return IMAGES.get(sha256);
}

/** Asked anew each time somebody opens it: files change. */
export function useStanding(turn_id: string, index: number, ask: () => void): Standing | undefined {
  const key = `${turn_id}/${index}`;
  useAnswers();
  useEffect(ask, [key]);
  return STANDINGS.get(key);
}

/** Drawn anew with every answer. */
function useAnswers(): void {
  const [, redraw] = useState(0);
  useEffect(() => {
    const listener = (): void => redraw((count) => count + 1);
    LISTENERS.add(listener);
    return () => LISTENERS.delete(listener);
  }, []);
}
