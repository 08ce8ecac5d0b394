import { createHash } from 'node:crypto';

/** A prompt as the cache sees it: the parts that come first, first. */
export interface Prompt {
  readonly model: string;
  readonly instructions: string;
  readonly tools: readonly unknown[];
  readonly input: readonly unknown[];
}

export interface CacheUse {
  /** Of the whole prompt. */
  readonly input: number;
  /** Of these, found again. */
  readonly cached: number;
}

const BYTES_A_TOKEN = 4;
const STEP = 128;
const SMALLEST = 1_024;

/**
 * Prompt caching by the rules that the API documents: what counts is the exact prefix of an earlier prompt with the same
 * key, found from 1,024 tokens up, in steps of 128. A token here is four bytes of the prompt's text, rounded up: nobody's
 * tokenizer, but the same for everybody, so that shares can be compared. Nothing is ever thrown out.
 */
export class PromptCache {
  /** For each key the prefixes that were seen, each as the hash of all its blocks. */
  private readonly seen = new Map<string, Set<string>>();

  /** What a prompt finds, and leaves behind for the next. */
  use(key: string, prompt: Prompt): CacheUse {
    const bytes = Buffer.from(promptText(prompt), 'utf8');
    const known = this.seen.get(key) ?? new Set();
    this.seen.set(key, known);
    let found = 0;
    let isPrefix = true;
    let chain = '';
    const block = STEP * BYTES_A_TOKEN;
    for (let end = block; end <= bytes.length; end += block) {
      const hash = createHash('sha256')
        .update(chain)
        .update(bytes.subarray(end - block, end));
      chain = hash.digest('base64');
      isPrefix &&= known.has(chain);
      if (isPrefix) found += STEP;
      known.add(chain);
    }
    const input = Math.ceil(bytes.length / BYTES_A_TOKEN);
    return { input, cached: found < SMALLEST ? 0 : found };
  }
}

/** One line a part, so that a prompt with more input begins with the one before it. */
function promptText({ model, instructions, tools, input }: Prompt): string {
  const parts = [model, instructions, ...[...tools, ...input].map((one) => JSON.stringify(one, plain))];
  return parts.map((part) => `${part}\n`).join('');
}

/** What the model does not read: an item is the same whether it was remembered or sent back. */
const NOT_READ: ReadonlySet<string> = new Set(['id', 'status', 'annotations', 'logprobs']);

function plain(key: string, value: unknown): unknown {
  return NOT_READ.has(key) ? undefined : value;
}
