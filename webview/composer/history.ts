import type { Block } from '../transcript.ts';

/** A walk through earlier prompts, as a shell has it: what was made of each on the way is still there. */
export interface Walk {
  /** How many prompts back one stands; 0 is the draft. */
  readonly back: number;
  /** The words that were left behind where they are no prompt, by how far back. */
  readonly texts: Readonly<Record<string, string>>;
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
  /** Null once the draft is back and nothing else was changed. */
  readonly walk: Walk | null;
}

/** Pure: one step back or forward; null where there is none. */
export function stepped(prompts: readonly string[], now: Step, direction: 'back' | 'forward'): Step | null {
  const { back, texts } = now.walk ?? { back: 0, texts: {} };
  const to = back + (direction === 'back' ? 1 : -1);
  const text = texts[to] ?? (to > 0 ? prompts.at(-to) : undefined);
  if (text === undefined) return null;
  const others = Object.entries(texts).filter(([at]) => at !== String(back) && at !== String(to));
  const isPrompt = back > 0 && prompts.at(-back) === now.text;
  const left = Object.fromEntries(isPrompt ? others : [...others, [String(back), now.text]]);
  return { text, walk: to === 0 && Object.keys(left).length === 0 ? null : { back: to, texts: left } };
}
