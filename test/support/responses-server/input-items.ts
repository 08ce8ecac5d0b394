import type {
  EasyInputMessage,
  ResponseFunctionToolCall,
  ResponseInputFile,
  ResponseInputImage,
  ResponseInputItem,
  ResponseInputText,
  ResponseOutputMessage,
  ResponseOutputRefusal,
  ResponseOutputText,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses';
import { isList, isObject, type Refusal, refusal } from './refusals.ts';

/** Null: it fits. Otherwise the path below the value at which it does not. */
type Fits = (value: unknown) => Misfit | null;

interface Misfit {
  readonly at: string;
  readonly code: 'invalid_type' | 'invalid_value' | 'missing_required_parameter' | 'unknown_parameter';
}

/**
 * Every field that the SDK knows of a type, and whether there has to be one: what the SDK does not know, no longer has or
 * has made obligatory does not compile here.
 */
type Shape<T> = {
  readonly [K in keyof T]-?: Partial<Pick<T, K>> extends Pick<T, K>
    ? { readonly optional: Fits }
    : { readonly needed: Fits };
};
type AnyShape = Readonly<Record<string, { readonly optional: Fits } | { readonly needed: Fits }>>;

const needed = (fits: Fits): { readonly needed: Fits } => ({ needed: fits });
const optional = (fits: Fits): { readonly optional: Fits } => ({ optional: fits });

const wrong = (code: Misfit['code'], at = ''): Misfit => ({ at, code });
const typed =
  (is: (value: unknown) => boolean): Fits =>
  (value) =>
    is(value) ? null : wrong('invalid_type');
const text = typed((value) => typeof value === 'string');
const flag = typed((value) => typeof value === 'boolean');
const object = typed(isObject);
const list = typed(isList);
const name: Fits = (value) => text(value) ?? (value === '' ? wrong('invalid_value') : null);
const orNull =
  (fits: Fits): Fits =>
  (value) =>
    value === null ? null : fits(value);
const oneOf =
  (...words: readonly string[]): Fits =>
  (value) =>
    text(value) ?? (words.includes(String(value)) ? null : wrong('invalid_value'));
const listOf =
  (fits: Fits): Fits =>
  (value) => {
    if (!isList(value)) return wrong('invalid_type');
    for (const [index, one] of value.entries()) {
      const misfit = fits(one);
      if (misfit !== null) return { ...misfit, at: `[${index}]${misfit.at}` };
    }
    return null;
  };

function shaped<T>(shape: Shape<T>): Fits {
  const fields = shape as AnyShape;
  const rules = Object.entries(fields);
  return (value) => {
    if (!isObject(value)) return wrong('invalid_type');
    for (const [field, rule] of rules) {
      const given = value[field];
      if (given === undefined) {
        if ('needed' in rule) return wrong('missing_required_parameter', `.${field}`);
        continue;
      }
      const misfit = ('needed' in rule ? rule.needed : rule.optional)(given);
      if (misfit !== null) return { ...misfit, at: `.${field}${misfit.at}` };
    }
    const unknown = Object.keys(value).find((field) => !Object.hasOwn(fields, field));
    return unknown === undefined ? null : wrong('unknown_parameter', `.${unknown}`);
  };
}

/** By the word that says which of them it is. */
function either(field: string, kinds: Readonly<Record<string, Fits>>): Fits {
  return (value) => {
    if (!isObject(value)) return wrong('invalid_type');
    const kind = value[field];
    if (typeof kind !== 'string' || !Object.hasOwn(kinds, kind)) return wrong('invalid_value', `.${field}`);
    return kinds[kind]?.(value) ?? null;
  };
}

const STATUS = oneOf('in_progress', 'completed', 'incomplete');
const PHASE = orNull(oneOf('commentary', 'final_answer'));
const BREAKPOINT = optional(object);

const inputText = shaped<ResponseInputText>({
  type: needed(text),
  text: needed(text),
  prompt_cache_breakpoint: BREAKPOINT,
});

const inputImage = shaped<ResponseInputImage>({
  type: needed(text),
  detail: needed(oneOf('auto', 'low', 'high', 'original')),
  image_url: optional(orNull(imageUrl)),
  file_id: optional(orNull(text)),
  prompt_cache_breakpoint: BREAKPOINT,
});

function imageUrl(value: unknown): Misfit | null {
  const isUrl = typeof value === 'string' && /^(?:https?:\/\/|data:image\/[\w.+-]+;base64,)./u.test(value);
  return isUrl ? null : wrong('invalid_value');
}

const inputFile = shaped<ResponseInputFile>({
  type: needed(text),
  detail: optional(oneOf('auto', 'low', 'high')),
  file_data: optional(text),
  file_id: optional(orNull(text)),
  file_url: optional(text),
  filename: optional(text),
  prompt_cache_breakpoint: BREAKPOINT,
});

const asked = either('type', { input_text: inputText, input_image: inputImage, input_file: inputFile });

/** What was answered goes back without its annotations, and without its name: the API takes both. */
const said = either('type', {
  output_text: shaped<Omit<ResponseOutputText, 'annotations'> & Partial<ResponseOutputText>>({
    type: needed(text),
    text: needed(text),
    annotations: optional(list),
    logprobs: optional(list),
  }),
  refusal: shaped<ResponseOutputRefusal>({ type: needed(text), refusal: needed(text) }),
});

const input = shaped<ResponseInputItem.Message>({
  type: optional(text),
  role: needed(text),
  content: needed(listOf(asked)),
  status: optional(STATUS),
});

const answer = shaped<EasyInputMessage & Partial<Omit<ResponseOutputMessage, keyof EasyInputMessage>>>({
  type: optional(text),
  role: needed(text),
  content: needed(listOf(said)),
  phase: optional(PHASE),
  id: optional(name),
  status: optional(STATUS),
});

const ITEM = either('type', {
  message: either('role', { user: input, developer: input, system: input, assistant: answer }),
  function_call: shaped<ResponseFunctionToolCall>({
    type: needed(text),
    call_id: needed(name),
    name: needed(name),
    arguments: needed(text),
    id: optional(name),
    async: optional(flag),
    caller: optional(orNull(object)),
    namespace: optional(text),
    status: optional(STATUS),
  }),
  // The SDK also knows outputs of calls without a name; ours have one.
  function_call_output: shaped<ResponseInputItem.FunctionCallOutput & { readonly call_id: string }>({
    type: needed(text),
    call_id: needed(name),
    output: needed((value) => (isList(value) ? listOf(asked)(value) : text(value))),
    id: optional(orNull(name)),
    caller: optional(orNull(object)),
    name: optional(orNull(text)),
    namespace: optional(orNull(text)),
    status: optional(orNull(STATUS)),
  }),
  reasoning: shaped<ResponseReasoningItem>({
    type: needed(text),
    id: needed(name),
    summary: needed(
      listOf(
        either('type', {
          summary_text: shaped<ResponseReasoningItem.Summary>({ type: needed(text), text: needed(text) }),
        }),
      ),
    ),
    content: optional(orNull(list)),
    encrypted_content: optional(orNull(text)),
    status: optional(orNull(STATUS)),
  }),
});

const WORDS: Readonly<Record<Misfit['code'], (at: string) => string>> = {
  invalid_type: (at) => `Invalid type for '${at}'.`,
  invalid_value: (at) => `Invalid value at '${at}'.`,
  missing_required_parameter: (at) => `Missing required parameter: '${at}'.`,
  unknown_parameter: (at) => `Unknown parameter: '${at}'.`,
};

/** Items that have been looked at, and come again. */
const fitting = new WeakSet<object>();

/** The items of an input, each by the type of the SDK that it claims to be. Kinds that we never send are none. */
export function checkItems(items: readonly unknown[]): Refusal | null {
  for (const [index, item] of items.entries()) {
    if (isObject(item) && fitting.has(item)) continue;
    const misfit = ITEM(item);
    if (misfit === null) {
      if (isObject(item)) fitting.add(item);
      continue;
    }
    const at = `input[${index}]${misfit.at}`;
    return refusal(WORDS[misfit.code](at), at, misfit.code);
  }
  return null;
}
