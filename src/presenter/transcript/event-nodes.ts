import type { Attachment, EventData, LogEvent } from '../../runtime/events.ts';
import { moment, sentence, type Words } from '../../runtime/inspection/spoken-words.ts';
import { field, list, numberOrNull, textOrNull } from '../../runtime/loose-fields.ts';
import { imageType } from '../image-type.ts';
import { linesOf } from './event-lines.ts';
import type { QuoteOf, TranscriptNode } from './transcript-nodes.ts';

/** What is longer is shown by its beginning and its end. */
const HEAD = 12_000;
const TAIL = 4_000;
/** Words of the person and of the model are what a session is: they are shown whole where that can be. */
const LONGEST_WORDS = 400_000;

/** Pure: what a document has of one event, of any type there is. */
export function eventNodes(
  event: LogEvent,
  { is_answer }: { readonly is_answer: boolean },
): readonly TranscriptNode[] {
  switch (event.type) {
    case 'user_message':
      return prompt(event.data, event);
    case 'assistant_message':
      return message(event.data, event, is_answer);
    case 'tool_call':
      return [
        heading(sentence('Call {0}', event.data.name), event),
        line(sentence('Id: {0}', event.data.call_id)),
        ...quoted('tool', sentence('Arguments'), event.data.args),
      ];
    case 'tool_result':
      return result(event.data, event);
    case 'tool_call_status': {
      const { call_id, from, to, suspension } = event.data;
      return [
        line(sentence('Call {0}: {1} -> {2}', call_id, from, to)),
        ...(suspension === undefined
          ? []
          : [
              line(sentence('A person is asked ({0})', suspension.reason)),
              ...quoted('note', sentence('Question'), suspension.message),
            ]),
      ];
    }
    case 'turn_failed': {
      const { error_kind, error_message } = event.data;
      return [
        heading(sentence('The turn ended without an answer'), event),
        line(sentence('Kind: {0}', error_kind)),
        ...linesOf(event).map(line),
        ...quoted('note', sentence('Message'), error_message),
      ];
    }
    case 'history_compaction':
      return [
        heading(sentence('Checkpoint'), event),
        ...linesOf(event).map(line),
        ...quoted('note', sentence('Summary'), event.data.summary),
        ...quoted('note', sentence('Limitations'), event.data.limitations.join('\n')),
      ];
    case 'branch_summary':
      return [
        heading(sentence('What a fork left behind'), event),
        ...quoted('note', sentence('Summary'), event.data.summary),
        ...quoted('note', sentence('Limitations'), event.data.limitations.join('\n')),
      ];
    case 'skill_activation':
      return [
        heading(sentence('Skill {0}', event.data.name), event),
        ...linesOf(event).map(line),
        ...quoted('note', sentence('Content'), event.data.content),
      ];
    case 'interruption_note':
      return [
        heading(sentence('Note about an interrupted turn'), event),
        ...linesOf(event).map(line),
        ...quoted('note', sentence('Excerpt, unfinished'), event.data.excerpt),
      ];
    case 'subagent_event':
      return [
        ...linesOf(event).map(line),
        ...quoted('note', sentence('Task'), event.data.event === 'spawned' ? (event.data.task ?? '') : ''),
        ...quoted(
          'note',
          sentence('Summary'),
          event.data.event === 'finished' ? (event.data.summary ?? '') : '',
        ),
      ];
    case 'diagnostic':
      return [...linesOf(event).map(line), ...quoted('note', null, event.data.message)];
    case 'reasoning':
      return [...linesOf(event).map(line), ...reasoning(event.data.item)];
    case 'unknown':
      return [
        heading(sentence('Unknown event of type {0}', event.data.original_type), event),
        ...quoted(
          'note',
          sentence('As it is in the log'),
          JSON.stringify(event.data.original, undefined, 2) ?? '',
        ),
      ];
    case 'session_started':
    case 'session_fork':
    case 'developer_context':
    case 'tool_call_decision':
    case 'run_status':
    case 'permission_decision':
    case 'file_change':
    case 'provider_usage':
    case 'workflow_event':
      return linesOf(event).map(line);
  }
}

type Place = Pick<LogEvent, 'seq' | 'ts'>;

function prompt(data: EventData['user_message'], at: Place): readonly TranscriptNode[] {
  return [
    heading(sentence('Prompt'), at),
    ...quoted('prompt', null, data.text, LONGEST_WORDS),
    ...data.attachments.flatMap(attachment),
  ];
}

function attachment(one: Attachment): readonly TranscriptNode[] {
  const name = one.path ?? one.label ?? '';
  const lines = one.start_line === undefined ? '' : ` ${one.start_line}-${one.end_line ?? one.start_line}`;
  const label = sentence('Attached {0}: {1}', one.kind, `${name}${lines}`);
  return [
    line(label),
    ...(one.truncated === true ? [line(sentence('Only its beginning was attached.'))] : []),
    ...(one.unsaved === true ? [line(sentence('With changes that were not saved.'))] : []),
    ...quoted('note', null, one.text ?? ''),
    ...image(one.data ?? '', label),
  ];
}

/** Of the kinds that bytes can prove; of anything else a document says only that it was there. */
function image(data: string, label: Words): readonly TranscriptNode[] {
  if (data === '') return [];
  const mime = /^[A-Za-z0-9+/]+={0,2}$/u.test(data) ? imageType(firstBytes(data)) : null;
  return mime === null
    ? [line(sentence('Its bytes are no picture of a known kind, and are not shown.'))]
    : [{ kind: 'image', mime, data, label }];
}

const SIXES = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function firstBytes(base64: string): Uint8Array {
  const bits = Array.from(base64.slice(0, 16))
    .map((one) => Math.max(0, SIXES.indexOf(one)).toString(2).padStart(6, '0'))
    .join('');
  return Uint8Array.from(bits.match(/.{8}/gu) ?? [], (byte) => Number.parseInt(byte, 2));
}

function message(
  data: EventData['assistant_message'],
  at: Place,
  isAnswer: boolean,
): readonly TranscriptNode[] {
  if (data.metadata.partial)
    return [
      heading(sentence('Unfinished text of the model, not an answer'), at),
      ...quoted('partial', null, data.text, LONGEST_WORDS),
    ];
  return [
    heading(isAnswer ? sentence('Answer of the model') : sentence('Text of the model'), at),
    ...quoted(isAnswer ? 'answer' : 'text', null, data.text, LONGEST_WORDS),
  ];
}

function reasoning(item: unknown): readonly TranscriptNode[] {
  return list(item, 'summary').flatMap((part) =>
    quoted('note', sentence('Summary of reasoning'), textOrNull(part, 'text') ?? ''),
  );
}

function result(data: EventData['tool_result'], at: Place): readonly TranscriptNode[] {
  const { call_id, ok, output, error, duration_ms } = data;
  const exit =
    numberOrNull(field(error, 'details'), 'exit_code') ??
    (ok && output?.startsWith('exit code 0') === true ? 0 : null);
  return [
    heading(ok ? sentence('Result: succeeded') : sentence('Result: failed'), at),
    line(sentence('Id: {0}', call_id)),
    line(sentence('Took {0}', { ms: duration_ms })),
    ...(exit === null ? [] : [line(sentence('Exit code: {0}', exit))]),
    ...(error === undefined ? [] : [line(sentence('Kind: {0}', error.kind))]),
    ...quoted('tool', sentence('Message'), error?.message ?? ''),
    ...quoted('tool', sentence('Output'), output ?? ''),
    ...(data.blob === undefined ? [] : [line(sentence('The whole output is kept beside the log.'))]),
    ...(data.attachments ?? []).flatMap(attachment),
  ];
}

function heading(words: Words, { seq, ts }: Place): TranscriptNode {
  return { kind: 'heading', words, place: sentence('seq {0}, {1}', seq, moment(ts)) };
}

function line(words: Words): TranscriptNode {
  return { kind: 'line', words };
}

/** Nothing for a text that says nothing. What was left out is told outside of the words that it was left out of. */
function quoted(
  of: QuoteOf,
  label: Words | null,
  text: string,
  most = HEAD + TAIL,
): readonly TranscriptNode[] {
  if (text.trim() === '') return [];
  if (text.length <= most) return [{ kind: 'quote', of, label, text }];
  const [head, tail] = [most - TAIL, TAIL];
  return [
    { kind: 'quote', of, label, text: text.slice(0, head) },
    line(sentence('{0} characters were left out here.', { count: text.length - head - tail })),
    { kind: 'quote', of, label: null, text: text.slice(text.length - tail) },
  ];
}
