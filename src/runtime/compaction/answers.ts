import { isBlank } from '../blank-text.ts';
import type { EventData, LogEvent } from '../events.ts';

/**
 * Pure: what was answered in each turn that completed, by its id. Only what is replayed has to say that it did: the log
 * of a fork has no other evidence, and a turn that failed in the parent must not be quoted there either. Where the log
 * says that a turn failed, that stands.
 */
export function answersIn(events: readonly LogEvent[]): ReadonlyMap<string, string> {
  const turns = new Map<string, Words>();
  for (const event of events) {
    if (!('turn_id' in event.data) || event.data.turn_id === undefined) continue;
    const words = turns.get(event.data.turn_id) ?? new Words();
    turns.set(event.data.turn_id, words);
    words.push(event);
  }
  return new Map(
    [...turns].flatMap(([turn_id, { answer }]) => (answer === null ? [] : [[turn_id, answer] as const])),
  );
}

/** What the last response of a turn said, and whether that is its answer. */
class Words {
  private readonly open = new Set<string>();
  private asked = '';
  private stream = '';
  private said: readonly string[] = [];
  /** The last response is whole and asked for nothing, and nothing came after it. */
  private isLast = false;
  private failed = false;

  get answer(): string | null {
    const text = this.said.join('\n');
    return this.isLast && !this.failed && this.open.size === 0 && !isBlank(text) ? text : null;
  }

  push({ type, data }: LogEvent): void {
    if (type === 'turn_failed') this.failed = true;
    if (type === 'assistant_message' && !data.metadata.partial) this.say(data);
    if (type !== 'tool_call' && type !== 'tool_result') return;
    this.isLast = false;
    if (type === 'tool_result') this.open.delete(data.call_id);
    else {
      this.open.add(data.call_id);
      this.asked = data.stream_run_id;
    }
  }

  private say({
    stream_run_id,
    text,
    output_index,
    output_count,
    pending_calls = [],
    open_children = [],
  }: EventData['assistant_message']): void {
    this.said = this.stream === stream_run_id ? [...this.said, text] : [text];
    this.stream = stream_run_id;
    const isWhole = output_index === undefined || output_index + 1 === output_count;
    // An answer to a request that did not have a result yet is not the last word about it.
    const isCurrent = pending_calls.every((id) => this.open.has(id));
    this.isLast = this.asked !== stream_run_id && isWhole && isCurrent && open_children.length === 0;
  }
}
