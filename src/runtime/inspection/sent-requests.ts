import type { KnownEvent, LogEvent } from '../events.ts';
import { field, numberOrNull } from '../loose-fields.ts';
import type { ReplayTarget } from '../replay/entries.ts';

/** A call of a model that is on record. All attempts of a call share one record, that of the last of them. */
export interface SentRequest {
  readonly usage: KnownEvent<'provider_usage'>;
  /** The last event that it was made of. */
  readonly at_seq: number;
  /** The first event of what came back: before it, the request was under way. */
  readonly first_seq: number;
  readonly target: ReplayTarget;
  /** Of the conversation, and it left. A call beside it, such as for a summary, is no request that others follow. */
  readonly in_conversation: boolean;
}

/** Pure: the calls of a log, in order. One walk. */
export function requestsIn(log: readonly LogEvent[]): readonly SentRequest[] {
  const walk = new RequestWalk();
  for (const event of log) walk.push(event);
  return walk.found;
}

/** What was asked then is no part of the conversation. */
export function isBeside({ data }: KnownEvent<'provider_usage'>): boolean {
  return field(data, 'purpose') !== undefined;
}

class RequestWalk {
  readonly found: SentRequest[] = [];
  private readonly firsts = new Map<unknown, number>();
  /** Of the last reasoning of each model: the one thing of the first logs that depends on it. */
  private readonly endpoints = new Map<string, string>();
  private withoutReasoning = false;

  push(event: LogEvent): void {
    switch (event.type) {
      case 'user_message':
        this.withoutReasoning = false;
        return;
      case 'diagnostic':
        if (event.data.code === 'reasoning_rejected') this.withoutReasoning = true;
        return;
      case 'reasoning':
        this.endpoints.set(event.data.model, event.data.endpoint);
        return this.noteFirst(event.data.stream_run_id, event.seq);
      case 'assistant_message':
      case 'tool_call':
        return this.noteFirst(event.data.stream_run_id, event.seq);
      case 'provider_usage':
        return this.note(event);
      case 'session_started':
      case 'session_fork':
      case 'developer_context':
      case 'tool_result':
      case 'tool_call_status':
      case 'tool_call_decision':
      case 'run_status':
      case 'permission_decision':
      case 'file_change':
      case 'turn_failed':
      case 'interruption_note':
      case 'skill_activation':
      case 'history_compaction':
      case 'branch_summary':
      case 'subagent_event':
      case 'workflow_event':
      case 'unknown':
        return;
    }
  }

  /** Only what a response makes: results and moves name the stream of their call, and come later. */
  private noteFirst(stream: unknown, seq: number): void {
    if (!this.firsts.has(stream)) this.firsts.set(stream, seq);
  }

  private note(usage: KnownEvent<'provider_usage'>): void {
    const { data, seq } = usage;
    const first_seq = this.firsts.get(data.stream_run_id) ?? seq;
    const { model } = data;
    const endpoint = data.endpoint ?? this.endpoints.get(model) ?? '';
    const beside = isBeside(usage);
    const without = this.withoutReasoning && !beside ? { without_reasoning: true } : {};
    this.found.push({
      usage,
      at_seq: madeOf(data, first_seq),
      first_seq,
      target: { model, endpoint, ...without },
      // Without a key no request leaves, and the call is on record all the same.
      in_conversation: !beside && numberOrNull(data, 'attempts') !== 0,
    });
    if (!beside) this.withoutReasoning = false;
  }
}

/** Where a log does not say, all that was there before its response. */
function madeOf(usage: unknown, first: number): number {
  const at = numberOrNull(usage, 'at_seq');
  return at !== null && Number.isSafeInteger(at) && at >= -1 && at < first ? at : first - 1;
}
