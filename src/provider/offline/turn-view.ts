import { outputText, type ContentPart, type InputItem } from '../../runtime/replay/items.ts';
import { PENDING_OUTPUT } from '../../runtime/replay/labels.ts';

/** The present turn, read from the input alone: what was asked, and what its calls have given so far. */
export interface TurnView {
  readonly text: string;
  /** What was attached, by its kind and name. */
  readonly attachments: readonly string[];
  readonly calls: readonly CallView[];
  /** What skills said that are active in it, by their names. */
  readonly skills: ReadonlyMap<string, string>;
  /** The reference of the last image that the input names; null where it names none. */
  readonly last_image: string | null;
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
    input.flatMap((one) =>
      one.type === 'function_call_output' ? [[one.call_id, outputText(one.output)]] : [],
    ),
  );
  return {
    last_image: lastImage(input),
    text: (item === undefined ? null : ownWords(item)) ?? '',
    attachments: item?.type === 'message' ? attachedNames(item.content.slice(1)) : [],
    skills: new Map(input.slice(start + 1).flatMap(skillIn)),
    calls: calls.map(({ call_id, name, arguments: args }) => {
      const output = outputs.get(call_id) ?? PENDING_OUTPUT;
      return { name, args, output, outcome: outcomeOf(output) };
    }),
  };
}

function skillIn(item: InputItem): readonly (readonly [string, string])[] {
  if (item.type !== 'message' || item.role !== 'user') return [];
  const [first] = item.content;
  if (first?.type !== 'input_text') return [];
  const { name, words } =
    /^\[Ledgerline note: skill (?<name>\S+) is active for this turn\]\n(?<words>[^]*)$/u.exec(first.text)
      ?.groups ?? {};
  return name === undefined || words === undefined ? [] : [[name, words]];
}

/** In labels, and in the list of a checkpoint. */
const IMAGE = /^(?:\[Attached image: .*, reference |- )([0-9a-f]{12})(?:\]$|: )/gmu;

function lastImage(input: readonly InputItem[]): string | null {
  const texts = input.flatMap((item) =>
    item.type === 'message' && item.role === 'user'
      ? item.content.flatMap((part) => (part.type === 'input_text' ? [part.text] : []))
      : [],
  );
  return [...texts.join('\n').matchAll(IMAGE)].at(-1)?.[1] ?? null;
}

type Part = ContentPart | { readonly type: 'output_text' };

/** Most images have a label before them. */
function attachedNames(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part, index) => {
    const before = parts[index - 1];
    const isNamed = before !== undefined && attachedName(before).startsWith('image: ');
    return part.type === 'input_image' && isNamed ? [] : [attachedName(part)];
  });
}

function attachedName(part: Part): string {
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
