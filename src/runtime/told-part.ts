import { SUBJECT_FIELDS } from './compaction/call-facts.ts';
import type { KnownEvent, LogEvent } from './events.ts';
import { field, parsed, text } from './loose-fields.ts';
import { headOf } from './text-size.ts';

/** Of one prompt, answer or argument, far less is quoted. */
const TEXT_CHARS = 4_000;
/** Of an output only how it begins is looked at, and what a person answered is quoted. */
const OUTPUT_CHARS = 1_000;

/** Pure: of an event, what a summary could tell of it; nothing in it holds on to the rest. */
export function toldPart(event: LogEvent): LogEvent {
  if (event.type === 'user_message') {
    const attachments = event.data.attachments.map(({ kind }) => ({ kind }));
    return withData(event, { ...event.data, text: head(event.data.text), attachments });
  }
  if (event.type === 'assistant_message')
    return withData(event, { ...event.data, text: head(event.data.text) });
  if (event.type === 'tool_call') return withData(event, { ...event.data, args: shortArgs(event.data) });
  if (event.type === 'tool_result') return withData(event, shortResult(event.data));
  if (event.type === 'reasoning') return withData(event, { ...event.data, item: {} });
  return event.type === 'skill_activation' ? withData(event, { ...event.data, content: '' }) : event;
}

/** What is written into a file is not told. A plan is: all of its steps. */
function shortArgs({ name, args }: KnownEvent<'tool_call'>['data']): string {
  if (args.length <= TEXT_CHARS || name === 'update_plan') return args;
  const given = parsed(args);
  return JSON.stringify({ ...subjects(given), workflow: subjects(field(given, 'workflow')) });
}

function subjects(given: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(SUBJECT_FIELDS.map((name) => [name, headOf(text(given, name), TEXT_CHARS)]));
}

type Result = KnownEvent<'tool_result'>['data'];

/** No output is told, but for what children came back with. An image that is not in the log of a fork has no reference there. */
function shortResult(data: Result): Result {
  const { output, error, attachments, ...rest } = data;
  const details = field(error?.details, 'exit_code');
  return {
    ...rest,
    ...(output === undefined
      ? {}
      : { output: data.delivers === undefined ? head(output, OUTPUT_CHARS) : output }),
    ...(error === undefined ? {} : { error: { ...error, message: '', details: { exit_code: details } } }),
    ...(attachments === undefined ? {} : { attachments: attachments.map(({ kind }) => ({ kind })) }),
  };
}

/** A part of a string holds all of it: only one that is made anew does not. */
function head(words: string, longest = TEXT_CHARS): string {
  if (words.length <= longest) return words;
  const copy: unknown = JSON.parse(JSON.stringify(headOf(words, longest)));
  return String(copy);
}

function withData<E extends KnownEvent>(event: E, data: E['data']): E {
  return { ...event, data };
}
