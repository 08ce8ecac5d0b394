/** The events of a whole and valid response, as the API sends them. */

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
  readonly phase?: string;
  readonly calls?: readonly { readonly call_id: string; readonly name: string; readonly args: unknown }[];
  readonly usage?: Usage | null;
}

export interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

export type ResponseEvent = Readonly<Record<string, unknown>> & { readonly type: string };
type Item = Readonly<Record<string, unknown>> & { readonly id: string };

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
  };
  return numbered([...unfinishedEvents(answer), { type: 'response.incomplete', response }]);
}

export function failedEvents(
  answer: Answer,
  error: { readonly code: string; readonly message: string },
): readonly ResponseEvent[] {
  const response = { ...responseOf(answer, 'failed', []), error };
  return numbered([...unfinishedEvents(answer), { type: 'response.failed', response }]);
}

interface OutputPart {
  readonly item: Item;
  readonly events: readonly ResponseEvent[];
}

function outputParts(answer: Answer): readonly OutputPart[] {
  const parts: ((index: number) => OutputPart)[] = [];
  const { reasoning, text, refusal } = answer;
  if (reasoning !== undefined) parts.push((index) => reasoningPart(reasoning, index));
  if (text !== undefined || refusal !== undefined) parts.push((index) => messagePart(answer, index));
  for (const call of answer.calls ?? []) parts.push((index) => callPart(call, index));
  return parts.map((part, index) => part(index));
}

function reasoningPart(reasoning: NonNullable<Answer['reasoning']>, output_index: number): OutputPart {
  const summary = reasoning.summary ?? [];
  const id = reasoning.id ?? 'rs_1';
  const item = {
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
      ...summary.flatMap((text, summary_index) => [
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
  const id = `msg_${output_index}`;
  const part =
    refusal === undefined
      ? { type: 'output_text', text, annotations: [], logprobs: [] }
      : { type: 'refusal', refusal };
  const empty = refusal === undefined ? { ...part, text: '' } : { ...part, refusal: '' };
  const phase = answer.phase === undefined ? {} : { phase: answer.phase };
  const item = { id, type: 'message', status: 'completed', role: 'assistant', content: [part], ...phase };
  const at = { item_id: id, output_index, content_index: 0 };
  const deltas: readonly ResponseEvent[] =
    refusal === undefined
      ? pieces.map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] }))
      : [{ type: 'response.refusal.delta', ...at, delta: refusal }];
  const end: ResponseEvent =
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

function callPart(call: NonNullable<Answer['calls']>[number], output_index: number): OutputPart {
  const args = typeof call.args === 'string' ? call.args : JSON.stringify(call.args);
  const id = `fc_${output_index}`;
  const { call_id, name } = call;
  const item = { id, type: 'function_call', status: 'completed', call_id, name, arguments: args };
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
      { type: 'response.function_call_arguments.done', ...at, name, arguments: args },
      { type: 'response.output_item.done', output_index, item },
    ],
  };
}

function responseOf(
  answer: Answer,
  status: string,
  output: readonly Item[],
): Readonly<Record<string, unknown>> {
  return {
    id: answer.id ?? 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    status,
    error: null,
    incomplete_details: null,
    model: answer.model ?? 'test-model',
    output,
    parallel_tool_calls: true,
    store: false,
    usage: status === 'in_progress' ? null : usageOf(answer.usage),
  };
}

function usageOf(usage: Usage | null | undefined): unknown {
  if (usage === null) return null;
  const { input, cached, output, reasoning } = usage ?? USAGE;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

function numbered(events: readonly ResponseEvent[]): readonly ResponseEvent[] {
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}
