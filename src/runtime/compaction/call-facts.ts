import type { CompactedCall, CompactedCalls } from '../context-events.ts';
import type { KnownEvent, LogEvent } from '../events.ts';
import { field, list, numberOrNull, parsed, text, textOrNull } from '../loose-fields.ts';
import { lineOf, utf8Length } from '../text-size.ts';

/** A call of the range and what came of it. */
export interface CallFact extends CompactedCall {
  readonly call_id: string;
  readonly turn_id: string;
  /** Of a command that ran to its end. */
  readonly exit_code: number | null;
  readonly args: string;
  /** What a person answered: the one output that is their own words. */
  readonly answer: string | null;
}

const SUBJECT_CHARS = 160;
/** A workflow is named inside of its own object, or by the id of the one that is to go on. */
export const SUBJECT_FIELDS = [
  'path',
  'command',
  'pattern',
  'question',
  'task',
  'name',
  'template',
  'id',
  'resume',
  'image',
] as const;

/** What a call acts on, by its arguments as the model wrote them. */
export function subjectOf(args: string): string {
  const given = parsed(args);
  return lineOf(subjectIn(given) || subjectIn(field(given, 'workflow')), SUBJECT_CHARS);
}

function subjectIn(given: unknown): string {
  return SUBJECT_FIELDS.map((name) => text(given, name)).find((value) => value !== '') ?? '';
}

/** The calls among some events, in order; those without a result are still open and stay out. */
export function callFacts(
  events: readonly LogEvent[],
  sizes?: ReadonlyMap<string, number>,
): readonly CallFact[] {
  const results = new Map(
    events.flatMap((event) => (event.type === 'tool_result' ? [[event.data.call_id, event] as const] : [])),
  );
  return events.flatMap((event) => {
    const result = event.type === 'tool_call' ? results.get(event.data.call_id) : undefined;
    return event.type === 'tool_call' && result !== undefined ? [factOf(event, result, sizes)] : [];
  });
}

function factOf(
  call: KnownEvent<'tool_call'>,
  result: KnownEvent<'tool_result'>,
  sizes: ReadonlyMap<string, number> | undefined,
): CallFact {
  const { call_id, name, args, turn_id } = call.data;
  const { ok, output = '', error, blob } = result.data;
  const bytes = sizes?.get(call_id) ?? utf8Length(output);
  return {
    call_id,
    turn_id,
    seq: result.seq,
    name,
    subject: subjectOf(args),
    ok,
    output_bytes: bytes,
    ...(blob === undefined ? {} : { blob }),
    args,
    exit_code: ok ? (output.startsWith('exit code 0') ? 0 : null) : numberOrNull(error?.details, 'exit_code'),
    answer: name === 'ask_user' && ok ? output : null,
  };
}

/** References to the last calls: enough to find their outputs again, and none of these outputs. */
const LAST_CALLS = 40;

/** The calls of a range, and with them those that earlier checkpoints stand for. */
export function compactedCalls(calls: readonly CallFact[], before: unknown): CompactedCalls {
  const by_name = new Map<string, number>(countsIn(field(before, 'by_name')));
  for (const { name } of calls) by_name.set(name, (by_name.get(name) ?? 0) + 1);
  const last = [...list(before, 'last').flatMap(callIn), ...calls.map(reference)].slice(-LAST_CALLS);
  return {
    total: (numberOrNull(before, 'total') ?? 0) + calls.length,
    failed: (numberOrNull(before, 'failed') ?? 0) + calls.filter(({ ok }) => !ok).length,
    by_name: sortedCounts(by_name),
    last,
  };
}

function reference({ seq, name, subject, ok, output_bytes, blob }: CallFact): CompactedCall {
  return { seq, name, subject, ok, output_bytes, ...(blob === undefined ? {} : { blob }) };
}

/** One that is on record in an earlier checkpoint. */
function callIn(value: unknown): readonly CompactedCall[] {
  const seq = numberOrNull(value, 'seq');
  const name = textOrNull(value, 'name');
  if (seq === null || name === null) return [];
  const blob = textOrNull(value, 'blob');
  return [
    {
      seq,
      name,
      subject: text(value, 'subject'),
      ok: field(value, 'ok') === true,
      output_bytes: numberOrNull(value, 'output_bytes') ?? 0,
      ...(blob === null ? {} : { blob }),
    },
  ];
}

/** The numbers of an object, as far as they are some. */
export function countsIn(value: unknown): readonly (readonly [string, number])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, count]: [string, unknown]) =>
    typeof count === 'number' && Number.isFinite(count) ? [[name, count] as const] : [],
  );
}

export function sortedCounts(counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
