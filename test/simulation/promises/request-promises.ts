import { isDeepStrictEqual } from 'node:util';
import { channelOf } from '../../../src/runtime/channels.ts';
import type { LogEvent } from '../../../src/runtime/events.ts';
import type { ModelRequest } from '../../../src/runtime/ports.ts';
import { foldReplay } from '../../../src/runtime/replay/fold.ts';
import type { InputItem } from '../../../src/runtime/replay/items.ts';
import { PENDING_OUTPUT } from '../../../src/runtime/replay/labels.ts';
import { first, type Promised } from './promise.ts';
import { TurnFacts } from './turn-facts.ts';

export interface RequestView {
  readonly request: ModelRequest;
  /** It was made without reasoning, because the provider has just rejected it. */
  readonly without_reasoning: boolean;
  readonly previous: Pick<RequestView, 'request' | 'without_reasoning'> | null;
  readonly endpoint: string;
  /** What is durable at this moment. */
  readonly log: readonly LogEvent[];
  /** The last event that the program has shown: what became durable later it may not have heard of. */
  readonly shown_seq: number;
}

/** Held by every request when it leaves. */
export const REQUEST_PROMISES: readonly Promised<RequestView>[] = [
  {
    says: 'the prompt is durable before a request leaves',
    broken: ({ request, log }) => {
      const prompt = log.findLast((event) => event.type === 'user_message');
      const sent = request.input.findLast((item) => item.type === 'message' && item.role === 'user');
      const part = sent?.type === 'message' ? sent.content[0] : undefined;
      const text = part !== undefined && 'text' in part ? part.text : undefined;
      return prompt !== undefined && prompt.data.text === text ? null : `${text} is sent`;
    },
  },
  {
    says: 'a request is the fold of the durable log, of which audit events are no part',
    broken: (view) => {
      const { request, log } = view;
      const target = targetOf(view);
      const whole = foldReplay(log, target);
      const replayed = foldReplay(
        log.filter((event) => channelOf(event) === 'replayed'),
        target,
      );
      if (!isDeepStrictEqual(whole, replayed)) return 'audit events change it';
      if (isDeepStrictEqual(whole, request.input)) return null;
      const known = log.length - 1 - view.shown_seq;
      const earlier = Array.from({ length: Math.max(0, known) }, (_, n) => log.slice(0, log.length - 1 - n));
      return earlier.some((prefix) => isDeepStrictEqual(foldReplay(prefix, target), request.input))
        ? null
        : difference(whole, request.input);
    },
  },
  {
    says: 'the API accepts each request',
    broken: ({ request: { input } }) => {
      const outputs = (id: string): number =>
        input.filter((item) => item.type === 'function_call_output' && item.call_id === id).length;
      return first(input.entries(), ([index, item]) => {
        const next = input[index + 1];
        if (item.type === 'function_call') {
          const twin = input.findIndex(
            (other) => other.type === 'function_call' && other.call_id === item.call_id,
          );
          if (twin !== index) return `${item.call_id} is there twice`;
          if (outputs(item.call_id) !== 1) return `${item.call_id} has ${outputs(item.call_id)} outputs`;
        }
        if (item.type === 'function_call_output') {
          const call = input.findIndex(
            (other) => other.type === 'function_call' && other.call_id === item.call_id,
          );
          if (call < 0 || call > index) return `an output of ${item.call_id} without its call`;
        }
        if (item.type === 'reasoning') {
          const followed =
            next?.type === 'reasoning' ||
            next?.type === 'function_call' ||
            (next?.type === 'message' && next.role === 'assistant');
          if (!followed) return `reasoning ${String(item['id'])} is followed by ${next?.type}`;
        }
        return null;
      });
    },
  },
  {
    says: 'a request begins with the whole of the one before',
    broken: (view) => {
      const { previous, request, without_reasoning } = view;
      if (previous === null || checkpointIn(previous.request.input) !== checkpointIn(request.input))
        return null;
      const otherReasoning =
        without_reasoning || previous.without_reasoning || previous.request.model !== request.model;
      const pending = new Set(previous.request.input.filter(isPending).map(callOf));
      const decided = request.input.some((item) => pending.has(callOf(item)) && !isPending(item));
      const comparable = (input: readonly InputItem[]): readonly InputItem[] =>
        input.filter((item) => {
          if (item.type === 'reasoning') return !otherReasoning;
          // What came while the others were still pending may stand before them now.
          return !decided || item.type !== 'function_call_output' || !pending.has(callOf(item));
        });
      const before = comparable(previous.request.input);
      const now = comparable(request.input);
      return first(before.entries(), ([index, item]) =>
        isDeepStrictEqual(item, now[index]) ? null : `item ${index} ${show(item)} became ${show(now[index])}`,
      );
    },
  },
  {
    says: 'a request after a compaction is smaller, and keeps the prompt of its turn',
    broken: ({ log, request, endpoint }) => {
      const at = log.findLastIndex((event) => event.type === 'history_compaction');
      const target = { model: request.model, endpoint };
      if (at < 0 || log.slice(at + 1).some((event) => event.type === 'provider_usage')) return null;
      const before = JSON.stringify(foldReplay(log.slice(0, at), target)).length;
      const after = JSON.stringify(foldReplay(log.slice(0, at + 1), target)).length;
      // Rounding, and reasoning that another model does not get.
      return after - before < 64 ? null : `${before} bytes became ${after}`;
    },
  },
  {
    says: 'a checkpoint has no text of answers that failed or did not finish',
    broken: ({ request, log }) => {
      const words = checkpointIn(request.input);
      if (words === null) return null;
      const failed = new Set(
        log.flatMap((event) => (event.type === 'turn_failed' ? [event.data.turn_id] : [])),
      );
      const said = log.filter((event) => event.type === 'assistant_message');
      const isBad = ({ data }: (typeof said)[number]): boolean =>
        data.metadata.partial || failed.has(data.turn_id);
      const good = new Set(said.filter((event) => !isBad(event)).map(({ data }) => data.text));
      return first(said.filter(isBad), ({ data: { text } }) =>
        text.length > 8 && !good.has(text) && words.includes(JSON.stringify(text).slice(1, -1)) ? text : null,
      );
    },
  },
  {
    says: 'a run that has waited does not infer again while a call is pending',
    broken: ({ log }) => {
      const turn = lastTurn(log);
      const waited = turn.of('run_status').findLast(({ data }) => data.status === 'waiting')?.seq ?? -1;
      const answered = turn.of('provider_usage').at(-1)?.seq ?? -1;
      const [pending] = turn.pending.keys();
      return waited > answered && pending !== undefined ? `${pending} is` : null;
    },
  },
  {
    says: 'the model is not asked again while all of a round is pending',
    broken: ({ log }) => {
      const turn = lastTurn(log);
      const calls = turn.of('tool_call');
      const round = calls.filter(({ data }) => data.stream_run_id === calls.at(-1)?.data.stream_run_id);
      return round.length > 0 && round.every(({ data }) => turn.pending.has(data.call_id))
        ? round.map(({ data }) => data.call_id).join()
        : null;
    },
  },
  {
    says: 'text of answers that did not finish never reaches the model',
    broken: ({ request, log }) => {
      const messages = log.filter((event) => event.type === 'assistant_message');
      const clean = new Set(
        messages.filter(({ data }) => !data.metadata.partial).map(({ data }) => data.text),
      );
      const partial = new Set(
        messages.filter(({ data }) => data.metadata.partial).map(({ data }) => data.text),
      );
      return first(request.input, (item) => {
        if (item.type !== 'message' || item.role !== 'assistant') return null;
        const text = item.content[0]?.text ?? '';
        return partial.has(text) && !clean.has(text) ? text : null;
      });
    },
  },
];

/** The words of the checkpoint that stands for earlier history; null when there is none. */
function checkpointIn(input: readonly InputItem[]): string | null {
  for (const item of input) {
    const part = item.type === 'message' && item.role === 'user' ? item.content[0] : undefined;
    if (part?.type === 'input_text' && part.text.startsWith('[Ledgerline history checkpoint'))
      return part.text;
  }
  return null;
}

function lastTurn(log: readonly LogEvent[]): TurnFacts {
  const from = log.findLastIndex((event) => event.type === 'user_message');
  return new TurnFacts('', log.slice(Math.max(0, from)));
}

function targetOf({ request, endpoint, without_reasoning }: RequestView): Parameters<typeof foldReplay>[1] {
  return { model: request.model, endpoint, ...(without_reasoning ? { without_reasoning } : {}) };
}

function isPending(item: InputItem): boolean {
  return item.type === 'function_call_output' && item.output === PENDING_OUTPUT;
}

function callOf(item: InputItem): string | null {
  return item.type === 'function_call_output' ? item.call_id : null;
}

function difference(expected: readonly InputItem[], sent: readonly InputItem[]): string {
  const index = expected.findIndex((item, at) => !isDeepStrictEqual(item, sent[at]));
  const at = index < 0 ? expected.length : index;
  return `item ${at} is ${show(sent[at])}, the log says ${show(expected[at])}`;
}

function show(item: InputItem | undefined): string {
  return (JSON.stringify(item) ?? 'nothing').slice(0, 200);
}
