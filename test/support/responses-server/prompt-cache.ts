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

/** A prompt in blocks of one step, each with the hash of all blocks up to it. */
interface Read {
  readonly bytes: Buffer;
  readonly chain: readonly string[];
}

const BLOCK = STEP * BYTES_A_TOKEN;
const NOTHING: Read = { bytes: Buffer.alloc(0), chain: [] };

/**
 * Prompt caching by the rules that the API documents: what counts is the exact prefix of an earlier prompt with the same
 * key, found from 1,024 tokens up, in steps of 128. A token here is four bytes of the prompt's text, rounded up: nobody's
 * tokenizer, but the same for everybody, so that shares can be compared. Nothing is ever thrown out.
 */
export class PromptCache {
  /** For each key the prefixes that were seen, and what was read last: most of the next one is the same. */
  private readonly seen = new Map<string, { readonly prefixes: Set<string>; last: Read }>();

  /** What a prompt finds, and leaves behind for the next. */
  use(key: string, prompt: Prompt): CacheUse {
    const known = this.seen.get(key) ?? { prefixes: new Set(), last: NOTHING };
    this.seen.set(key, known);
    const { bytes, chain } = read(promptText(prompt), known.last);
    const found = chain.findIndex((hash) => !known.prefixes.has(hash));
    const cached = (found === -1 ? chain.length : found) * STEP;
    for (const hash of chain) known.prefixes.add(hash);
    known.last = { bytes, chain };
    const input = Math.ceil(bytes.length / BYTES_A_TOKEN);
    return { input, cached: cached < SMALLEST ? 0 : cached };
  }
}

/** One line a part, so that a prompt with more input begins with the one before it. */
function promptText({ model, instructions, tools, input }: Prompt): string {
  const parts = [model, instructions, ...[...tools, ...input].map(lineOf)];
  return parts.map((part) => `${part}\n`).join('');
}

/** A part that is one value in several prompts is written out once. */
const lines = new WeakMap<object, string>();

function lineOf(part: unknown): string {
  if (typeof part !== 'object' || part === null) return JSON.stringify(part);
  const line = lines.get(part) ?? JSON.stringify(part, plain);
  lines.set(part, line);
  return line;
}

/** Blocks that are those of the last prompt, from the first on, need not be hashed again. */
function read(text: string, last: Read): Read {
  const bytes = Buffer.from(text, 'utf8');
  const chain: string[] = [];
  let isSame = true;
  for (let end = BLOCK; end <= bytes.length; end += BLOCK) {
    const block = bytes.subarray(end - BLOCK, end);
    const before = last.chain[chain.length];
    isSame &&= before !== undefined && block.equals(last.bytes.subarray(end - BLOCK, end));
    chain.push(isSame && before !== undefined ? before : hashed(chain.at(-1) ?? '', block));
  }
  return { bytes, chain };
}

function hashed(prefix: string, block: Buffer): string {
  return createHash('sha256').update(prefix).update(block).digest('base64');
}

/** What the model does not read: an item is the same whether it was remembered or sent back. */
const NOT_READ: ReadonlySet<string> = new Set(['id', 'status', 'annotations', 'logprobs']);

function plain(key: string, value: unknown): unknown {
  return NOT_READ.has(key) ? undefined : value;
}
