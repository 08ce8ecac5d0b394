import type { ContentPart, InputItem } from '../../runtime/replay/items.ts';
import { PENDING_OUTPUT } from '../../runtime/replay/labels.ts';

/** The present turn, read from the input alone: what was asked, and what its calls have given so far. */
export interface TurnView {
  readonly text: string;
  /** What was attached, by its kind and name. */
  readonly attachments: readonly string[];
  readonly calls: readonly CallView[];
}

export interface CallView {
  readonly name: string;
  readonly args: string;
  /** Denied by a person, which is no failure of the tool: there is no use in another try. */
  readonly outcome: 'pending' | 'denied' | 'failed' | 'succeeded';
  readonly output: string;
}

/** The last words of the person. Ledgerline's own notes, checkpoints and skills are labelled and are not theirs. */
export function turnOf(input: readonly InputItem[]): TurnView {
  const start = input.findLastIndex((item) => ownWords(item) !== null);
  const item = input[start];
  const calls = input.slice(start + 1).flatMap((one) => (one.type === 'function_call' ? [one] : []));
  const outputs = new Map(
    input.flatMap((one) => (one.type === 'function_call_output' ? [[one.call_id, one.output]] : [])),
  );
  return {
    text: (item === undefined ? null : ownWords(item)) ?? '',
    attachments: item?.type === 'message' ? item.content.slice(1).map(attachedName) : [],
    calls: calls.map(({ call_id, name, arguments: args }) => {
      const output = outputs.get(call_id) ?? PENDING_OUTPUT;
      return { name, args, output, outcome: outcomeOf(output) };
    }),
  };
}

function attachedName(part: ContentPart | { readonly type: 'output_text' }): string {
  if (part.type !== 'input_text') return 'image';
  return /^\[Attached ([^\]\n]+)\]/u.exec(part.text)?.[1] ?? 'attachment';
}

function ownWords(item: InputItem): string | null {
  if (item.type !== 'message' || item.role !== 'user') return null;
  const [first] = item.content;
  return first?.type === 'input_text' && !first.text.startsWith('[Ledgerline ') ? first.text : null;
}

function outcomeOf(output: string): CallView['outcome'] {
  if (output === PENDING_OUTPUT) return 'pending';
  if (output.startsWith('Error (denied): ')) return 'denied';
  return /^Error(?: \([\w:.-]+\): |: the call failed)/u.test(output) ? 'failed' : 'succeeded';
}
