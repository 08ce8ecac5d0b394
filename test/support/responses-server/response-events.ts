import type {
  Response,
  ResponseOutputItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses';

/** The events of a whole and valid response, as the API sends them. Their types are those of its SDK. */

export interface Answer {
  readonly id?: string;
  readonly model?: string;
  readonly reasoning?: {
    readonly id?: string;
    readonly summary?: readonly string[];
    readonly encrypted_content?: string;
  };
  /** The text, or the pieces in which it is streamed. */
  readonly text?: string | readonly string[];
  readonly refusal?: string;
  readonly phase?: 'commentary' | 'final_answer';
  readonly calls?: readonly { readonly call_id: string; readonly name: string; readonly args: unknown }[];
  readonly usage?: Usage | null;
  /** What the API says of the prompt cache, where it was asked. */
  readonly cache_diagnostics?: WireResponse['prompt_cache_diagnostics'];
}

export interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
  /** Models that do not tell it have none. */
  readonly cache_write?: number;
}

/** The SDK adds `output_text` by itself, and older models leave out what they wrote to the cache. */
type WireUsage = Omit<ResponseUsage, 'input_tokens_details'> & {
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens?: number };
};
type WireResponse = Omit<Response, 'output_text' | 'usage'> & { readonly usage: WireUsage | null };
type OnWire<T> = T extends { response: Response }
  ? Omit<T, 'response'> & { readonly response: WireResponse }
  : T;
export type ResponseEvent = OnWire<ResponseStreamEvent>;
type Unnumbered<T> = T extends unknown ? Omit<T, 'sequence_number'> : never;
type Event = Unnumbered<ResponseEvent>;
type Item = ResponseOutputItem;

const USAGE: Usage = { input: 100, cached: 40, output: 20, reasoning: 8 };

export function responseEvents(answer: Answer): readonly ResponseEvent[] {
  const parts = outputParts(answer);
  const output = parts.map(({ item }) => item);
  return numbered([
    { type: 'response.created', response: responseOf(answer, 'in_progress', []) },
    { type: 'response.in_progress', response: responseOf(answer, 'in_progress', []) },
    ...parts.flatMap(({ events }) => events),
    { type: 'response.completed', response: responseOf(answer, 'completed', output) },
  ]);
}

/** A response of such items, told by nothing but their ends. */
export function itemEvents(answer: Answer, output: readonly ResponseOutputItem[]): readonly ResponseEvent[] {
  return numbered([
    { type: 'response.created', response: responseOf(answer, 'in_progress', []) },
    ...output.map((item, output_index): Event => ({ type: 'response.output_item.done', output_index, item })),
    { type: 'response.completed', response: responseOf(answer, 'completed', output) },
  ]);
}

/** The same response up to, not including, its end. */
export function unfinishedEvents(answer: Answer): readonly ResponseEvent[] {
  return responseEvents(answer).slice(0, -1);
}

export function incompleteEvents(answer: Answer, reason: string): readonly ResponseEvent[] {
  const response = {
    ...responseOf(
      answer,
      'incomplete',
      outputParts(answer).map(({ item }) => item),
    ),
    incomplete_details: { reason },
  } as WireResponse;
  return numbered([...unfinishedEvents(answer), { type: 'response.incomplete', response }]);
}

export function failedEvents(
  answer: Answer,
  error: { readonly code: string; readonly message: string },
): readonly ResponseEvent[] {
  // Tests also send codes that the API does not have.
  const response = { ...responseOf(answer, 'failed', []), error } as WireResponse;
  return numbered([...unfinishedEvents(answer), { type: 'response.failed', response }]);
}

interface OutputPart {
  readonly item: Item;
  readonly events: readonly Event[];
}

function outputParts(answer: Answer): readonly OutputPart[] {
  const parts: ((index: number) => OutputPart)[] = [];
  const { reasoning, text, refusal } = answer;
  if (reasoning !== undefined) parts.push((index) => reasoningPart(reasoning, index));
  if (text !== undefined || refusal !== undefined) parts.push((index) => messagePart(answer, index));
  for (const call of answer.calls ?? [])
    parts.push((index) => callPart(call, itemId('fc', answer, index), index));
  return parts.map((part, index) => part(index));
}

function reasoningPart(reasoning: NonNullable<Answer['reasoning']>, output_index: number): OutputPart {
  const summary = reasoning.summary ?? [];
  const id = reasoning.id ?? 'rs_1';
  const item: Item = {
    id,
    type: 'reasoning',
    summary: summary.map((text) => ({ type: 'summary_text', text })),
    encrypted_content: reasoning.encrypted_content ?? 'gAAAA-opaque',
  };
  const at = { item_id: id, output_index };
  return {
    item,
    events: [
      { type: 'response.output_item.added', output_index, item: { ...item, summary: [] } },
      ...summary.flatMap((text, summary_index): Event[] => [
        {
          type: 'response.reasoning_summary_part.added',
          ...at,
          summary_index,
          part: { type: 'summary_text', text: '' },
        },
        { type: 'response.reasoning_summary_text.delta', ...at, summary_index, delta: text },
        { type: 'response.reasoning_summary_text.done', ...at, summary_index, text },
        {
          type: 'response.reasoning_summary_part.done',
          ...at,
          summary_index,
          part: { type: 'summary_text', text },
        },
      ]),
      { type: 'response.output_item.done', output_index, item },
    ],
  };
}

function messagePart(answer: Answer, output_index: number): OutputPart {
  const pieces = typeof answer.text === 'string' ? [answer.text] : (answer.text ?? []);
  const text = pieces.join('');
  const { refusal } = answer;
  const id = itemId('msg', answer, output_index);
  const part =
    refusal === undefined
      ? { type: 'output_text' as const, text, annotations: [], logprobs: [] }
      : { type: 'refusal' as const, refusal };
  const empty = part.type === 'refusal' ? { ...part, refusal: '' } : { ...part, text: '' };
  const phase = answer.phase === undefined ? {} : { phase: answer.phase };
  const item: Item = {
    id,
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [part],
    ...phase,
  };
  const at = { item_id: id, output_index, content_index: 0 };
  const deltas: readonly Event[] =
    refusal === undefined
      ? pieces.map((delta): Event => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] }))
      : [{ type: 'response.refusal.delta', ...at, delta: refusal }];
  const end: Event =
    refusal === undefined
      ? { type: 'response.output_text.done', ...at, text, logprobs: [] }
      : { type: 'response.refusal.done', ...at, refusal };
  return {
    item,
    events: [
      {
        type: 'response.output_item.added',
        output_index,
        item: { ...item, status: 'in_progress', content: [] },
      },
      { type: 'response.content_part.added', ...at, part: empty },
      ...deltas,
      end,
      { type: 'response.content_part.done', ...at, part },
      { type: 'response.output_item.done', output_index, item },
    ],
  };
}

/** An item has its name for itself, also beside those of other responses, as long as these have names. */
function itemId(kind: string, { id }: Answer, output_index: number): string {
  return id === undefined ? `${kind}_${output_index}` : `${kind}_${id}_${output_index}`;
}

function callPart(call: NonNullable<Answer['calls']>[number], id: string, output_index: number): OutputPart {
  const args = typeof call.args === 'string' ? call.args : JSON.stringify(call.args);
  const { call_id, name } = call;
  const item: Item = { id, type: 'function_call', status: 'completed', call_id, name, arguments: args };
  const at = { item_id: id, output_index };
  return {
    item,
    events: [
      {
        type: 'response.output_item.added',
        output_index,
        item: { ...item, status: 'in_progress', arguments: '' },
      },
      { type: 'response.function_call_arguments.delta', ...at, delta: args },
      { type: 'response.function_call_arguments.done', ...at, arguments: args },
      { type: 'response.output_item.done', output_index, item },
    ],
  };
}

function responseOf(
  answer: Answer,
  status: NonNullable<Response['status']>,
  output: readonly Item[],
): WireResponse {
  const { cache_diagnostics } = answer;
  return {
    id: answer.id ?? 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    status,
    error: null,
    incomplete_details: null,
    access_programs: null,
    instructions: null,
    metadata: {},
    model: answer.model ?? 'test-model',
    output: [...output],
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    usage: status === 'in_progress' ? null : usageOf(answer.usage),
    ...(status !== 'completed' || cache_diagnostics === undefined
      ? {}
      : { prompt_cache_diagnostics: cache_diagnostics }),
  };
}

function usageOf(usage: Usage | null | undefined): WireUsage | null {
  if (usage === null) return null;
  const { input, cached, output, reasoning, cache_write } = usage ?? USAGE;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cached,
      ...(cache_write === undefined ? {} : { cache_write_tokens: cache_write }),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

function numbered(events: readonly Event[]): readonly ResponseEvent[] {
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}
