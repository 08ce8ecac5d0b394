import type { CacheUse, PromptCache } from './prompt-cache.ts';
import { listAt, modelOf, type ReceivedRequest, textAt } from './received-request.ts';
import { type Reply } from './reply.ts';
import { type Answer } from './response-events.ts';
import { responds } from './whole-replies.ts';

/** What a model says, or, where no whole answer comes of it, what happens instead. */
export type Said = Answer | Reply;

/**
 * A model as a function: asked with each accepted request and how many came before it, over whichever transport. What
 * an answer leaves out is filled in: names that nothing else has, and tokens as the prompt cache counts them.
 */
export type Model = (request: ReceivedRequest, index: number) => Said | Promise<Said>;

interface Asked {
  readonly request: ReceivedRequest;
  readonly index: number;
  readonly cache: PromptCache | null;
}

const BYTES_A_TOKEN = 4;
const OK = 200;

export function replyOf(said: Said, asked: Asked): Reply {
  if (!('kind' in said)) return responds(completedAnswer(said, asked));
  // Whoever begins to answer has read the prompt, whether the end comes or not.
  if (said.kind === 'answer' && said.status === OK) read(asked);
  return said;
}

function completedAnswer(answer: Answer, asked: Asked): Answer {
  const { request, index } = asked;
  const { reasoning } = answer;
  const model = modelOf(request.body);
  const named: Answer = {
    id: `resp_${index}`,
    model,
    ...answer,
    ...(reasoning === undefined
      ? {}
      : {
          reasoning: {
            id: `rs_${index}`,
            encrypted_content: `thought-${index}-of-${model}`,
            ...reasoning,
          },
        }),
  };
  const found = answer.usage === undefined ? read(asked) : null;
  if (found === null) return named;
  const output = tokens([named.text, named.refusal, named.calls]);
  return { ...named, usage: { ...found, output, reasoning: 0 } };
}

function read({ request: { body, input }, cache }: Asked): CacheUse | null {
  if (cache === null) return null;
  const instructions = textAt(body, 'instructions');
  const prompt = { model: modelOf(body), instructions, tools: listAt(body, 'tools'), input };
  return cache.use(textAt(body, 'prompt_cache_key'), prompt);
}

function tokens(parts: readonly unknown[]): number {
  const said = parts.filter((part) => part !== undefined).map((part) => JSON.stringify(part));
  return Math.ceil(Buffer.byteLength(said.join('')) / BYTES_A_TOKEN);
}
