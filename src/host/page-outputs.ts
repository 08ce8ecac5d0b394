import type { HostMessage, Item } from '../presenter/protocol.ts';

/** Of what a tool put out, a page draws a line until somebody opens it, and the whole opens in an editor. */
const LONGEST = 8 * 1024;

/** Pure: a message for a page, with the beginning and the end of long outputs. */
export function withShortOutputs(message: HostMessage): HostMessage {
  if (!hasItems(message) || !message.items.some(isLong)) return message;
  return { ...message, items: message.items.map(shortened) };
}

type WithItems = Extract<HostMessage, { type: 'snapshot' | 'append' | 'prepend' | 'extend' }>;

function hasItems(message: HostMessage): message is WithItems {
  return ['snapshot', 'append', 'prepend', 'extend'].includes(message.type);
}

function isLong({ type, data }: Item): boolean {
  const { output } = data;
  return type === 'tool_result' && typeof output === 'string' && output.length > LONGEST;
}

function shortened(item: Item): Item {
  const { output, output_length } = item.data;
  if (!isLong(item) || typeof output !== 'string') return item;
  const half = LONGEST / 2;
  const short = `${output.slice(0, half)}\n…\n${output.slice(-half)}`;
  return { ...item, data: { ...item.data, output: short, output_length: output_length ?? output.length } };
}
