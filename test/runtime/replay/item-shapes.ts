import type { ContentPart, InputItem } from '../../../src/runtime/replay/items.ts';

/** The shape of a request: one line an item, so that a change to it is read in a diff. */
export function shapes(input: readonly InputItem[]): string {
  return input.map(shape).join('\n');
}

function shape(item: InputItem): string {
  switch (item.type) {
    case 'message': {
      const phase = 'phase' in item && item.phase !== undefined ? ` (${item.phase})` : '';
      return `${item.role}${phase}: ${parts(item.content)}`;
    }
    case 'function_call':
      return `call ${item.call_id}: ${item.name} ${item.arguments}`;
    case 'function_call_output':
      return `output ${item.call_id}: ${typeof item.output === 'string' ? oneLine(item.output) : parts(item.output)}`;
    case 'reasoning':
      return `reasoning: ${JSON.stringify(item)}`;
  }
}

function parts(
  content: readonly (ContentPart | { readonly type: 'output_text'; readonly text: string })[],
): string {
  return content
    .map((part) => (part.type === 'input_image' ? `<${part.image_url}>` : oneLine(part.text)))
    .join(' + ');
}

function oneLine(text: string): string {
  return text.replaceAll('\n', ' / ');
}
