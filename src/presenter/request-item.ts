import type { ContentPart, InputItem } from '../runtime/replay/items.ts';
import { sentence, type Words } from '../runtime/inspection/spoken-words.ts';
import { unreachable } from '../runtime/unreachable.ts';
import type { Say } from './speech.ts';

/** What an item is, in a heading. */
export function kindOf(item: InputItem): Words {
  switch (item.type) {
    case 'message':
      return 'phase' in item && item.phase !== undefined
        ? sentence('{0} message ({1})', item.role, item.phase)
        : sentence('{0} message', item.role);
    case 'function_call':
      return `function_call ${item.name} (${item.call_id})`;
    case 'function_call_output':
      return `function_call_output (${item.call_id})`;
    case 'reasoning':
      return 'reasoning';
    default:
      return unreachable(item);
  }
}

/** All that an item says. Images are named, not shown. */
export function contentOf(item: InputItem, say: Say): string {
  switch (item.type) {
    case 'message':
      return partsOf(item.content, say);
    case 'function_call':
      return item.arguments;
    case 'function_call_output':
      return typeof item.output === 'string' ? item.output : partsOf(item.output, say);
    case 'reasoning':
      return JSON.stringify(item, undefined, 2);
    default:
      return unreachable(item);
  }
}

function partsOf(
  parts: readonly (ContentPart | { readonly type: 'output_text'; readonly text: string })[],
  say: Say,
): string {
  return parts
    .map((part) => (part.type === 'input_image' ? say(imageWords(part.image_url)) : part.text))
    .join('\n\n');
}

function imageWords(url: string): Words {
  const [found] = /^data:[\w/+.-]+/.exec(url) ?? [];
  const kind = found === undefined ? sentence('image') : found.replace('data:', '');
  return sentence('[{0}, {1} characters, not shown]', kind, { count: url.length });
}
