import type { Block } from '../transcript.ts';

/** Where one stands among earlier prompts, and what was being written before. */
export interface Place {
  readonly index: number;
  readonly draft: string;
}

/** Pure: the prompts that are shown, without repetitions in a row, the latest last. */
export function promptsIn(blocks: readonly Block[]): readonly string[] {
  const texts = blocks.flatMap((block) =>
    block.kind === 'turn' && block.prompt !== null && !block.prompt.cut ? [block.prompt.text] : [],
  );
  return texts.filter((text, index) => text.trim() !== '' && text !== texts[index - 1]);
}

export interface Step {
  readonly text: string;
  /** Null once the draft is back. */
  readonly place: Place | null;
}

/** Pure: one step back or forward; null where there is none. */
export function stepped(
  prompts: readonly string[],
  now: { readonly place: Place | null; readonly text: string },
  direction: 'back' | 'forward',
): Step | null {
  const place = now.place ?? { index: prompts.length, draft: now.text };
  const index = place.index + (direction === 'back' ? -1 : 1);
  if (direction === 'forward' && now.place === null) return null;
  if (index >= prompts.length) return { text: place.draft, place: null };
  const text = prompts[index];
  return text === undefined ? null : { text, place: { index, draft: place.draft } };
}
