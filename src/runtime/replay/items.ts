/** The items of a Responses `input`, as far as Ledgerline makes them. */

export type ContentPart =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string; readonly detail: 'auto' };

/** Parts only where there is more than text. */
export type CallOutput = string | readonly ContentPart[];

export function outputText(output: CallOutput): string {
  if (typeof output === 'string') return output;
  return output.flatMap((part) => (part.type === 'input_text' ? [part.text] : [])).join('\n');
}

export type InputItem =
  | {
      readonly type: 'message';
      readonly role: 'developer' | 'user';
      readonly content: readonly ContentPart[];
    }
  | {
      readonly type: 'message';
      readonly role: 'assistant';
      readonly content: readonly { readonly type: 'output_text'; readonly text: string }[];
      readonly phase?: string;
    }
  | {
      readonly type: 'function_call';
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    }
  | { readonly type: 'function_call_output'; readonly call_id: string; readonly output: CallOutput }
  | OpaqueReasoning;

/** Sent back exactly as it came. Only `type` is ours to read. */
export type OpaqueReasoning = { readonly type: 'reasoning' } & Readonly<Record<string, unknown>>;
