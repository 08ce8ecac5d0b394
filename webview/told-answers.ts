import { useEffect, useState } from 'preact/hooks';
import type { HostMessage } from '../src/presenter/protocol.ts';

/**
 * What the page asks the host for when somebody looks at it, and nothing else is made of: bytes of pictures, and whether
 * a file is still the same. Kept beside the state, which is copied with every message.
 */
class Answers<T> {
  private readonly known = new Map<string, T>();
  private readonly asked = new Set<string>();
  private readonly listeners = new Set<() => void>();

  get(key: string): T | undefined {
    return this.known.get(key);
  }

  tell(key: string, value: T): void {
    this.known.set(key, value);
    for (const listener of this.listeners) listener();
  }

  /** Once, however many want it. */
  ask(key: string, ask: () => void): void {
    if (this.asked.has(key)) return;
    this.asked.add(key);
    ask();
  }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export type Standing = Extract<HostMessage, { type: 'attachment_standing' }>['standing'];

/** Addresses of pictures by their hashes; null for one that is no longer in storage. */
const IMAGES = new Answers<string | null>();
const STANDINGS = new Answers<Standing>();

/** The answers among what the host says. */
export function noteAnswer(message: HostMessage): void {
  if (message.type === 'image') {
    const { sha256, mime, data } = message;
    if (IMAGES.get(sha256) === undefined) IMAGES.tell(sha256, data === null ? null : addressOf(data, mime));
  }
  if (message.type === 'attachment_standing')
    STANDINGS.tell(`${message.turn_id}/${message.index}`, message.standing);
}

function addressOf(data: string, mime: string): string {
  const bytes = Uint8Array.from(atob(data), (char) => char.codePointAt(0) ?? 0);
  return URL.createObjectURL(new Blob([bytes], { type: mime }));
}

/** Undefined until the host has answered. The bytes of a picture go over once for each page. */
export function useImage(sha256: string, ask: () => void): string | null | undefined {
  return useAnswer(IMAGES, sha256, () => IMAGES.ask(sha256, ask));
}

/** Asked anew each time somebody opens it: files change. */
export function useStanding(turn_id: string, index: number, ask: () => void): Standing | undefined {
  return useAnswer(STANDINGS, `${turn_id}/${index}`, ask);
}

function useAnswer<T>(answers: Answers<T>, key: string, ask: () => void): T | undefined {
  const [, redraw] = useState(0);
  useEffect(() => answers.listen(() => redraw((count) => count + 1)), [answers]);
  useEffect(ask, [key]);
  return answers.get(key);
}
