import { imageLine } from '../session-images.ts';
import { headOf, lineOf } from '../text-size.ts';
import type { CallFact } from './call-facts.ts';
import type { RangeFacts } from './range-facts.ts';
import type { TurnFact } from './turn-facts.ts';

/**
 * What a checkpoint tells the model, made by rules alone: the same facts give the same words. It quotes what people
 * asked and what was answered, bounded, and no output of a tool: outputs are named, with the place where the log has
 * them. Text of answers that failed or did not complete is not here at all.
 */

/** All of it together. */
const LONGEST = 16_000;
/** Of that, what earlier checkpoints said. */
const EARLIER_CHARS = 4_000;
const EARLIER_LINE_CHARS = 160;
/** What is told of the range: a part of what it says, within bounds. */
const TURNS_SHARE = 0.25;
const TURNS_CHARS = { least: 1_200, most: 9_000 } as const;
const MOST_LISTED = 40;
/** One line each, because paths and names are a model's words: nothing in them may look like the head of a list. */
const LISTED_CHARS = 600;
const CALLS_A_TURN = 12;
/** An output that is shorter than this is not worth a reference. */
const LARGE_OUTPUT = 1024;

/** How much of a turn is told: the newest most. */
const LEVELS = [
  { prompt: 600, answer: 900, calls: true, children: 12, share: 0.6 },
  { prompt: 240, answer: 240, calls: false, children: 4, share: 0.85 },
  { prompt: 100, answer: 0, calls: false, children: 0, share: 1 },
] as const;

export interface Told {
  readonly text: string;
  /** What the bounds left out, in words. */
  readonly left_out: readonly string[];
}

const HEADINGS = {
  earlier: 'From before:',
  turns: 'Requests, oldest first:',
  files: 'Files changed:',
  tasks: 'Open tasks:',
  decisions: 'Decisions of the user:',
  images: 'Images that are not in the input any more, by reference:',
} as const;

/** What a turn is called whose prompt is not in the range: what stands for it is after the summary, or before. */
export type Unasked = 'The request below, so far' | 'The request above, from here on';

/** Pure: the summary of a range. */
export function summaryOf(facts: RangeFacts, unasked: Unasked = 'The request below, so far'): Told {
  const earlier = earlierLines(facts.earlier);
  const turns = turnLines(facts.turns, unasked);
  const sections = [
    section(HEADINGS.earlier, earlier.lines),
    section(HEADINGS.turns, turns.lines),
    ...factSections(facts),
  ];
  const text = sections.filter((one) => one !== '').join('\n\n');
  const left_out = [
    ...(earlier.dropped ? ['Older parts of earlier checkpoints are left out.'] : []),
    ...(turns.dropped === 1 ? ['1 request after the first left out.'] : []),
    ...(turns.dropped > 1 ? [`${turns.dropped} requests after the first left out.`] : []),
    ...factsLeftOut(facts),
    ...(text.length > LONGEST ? ['The end of the summary is cut off.'] : []),
  ];
  return { text: headOf(text, LONGEST).toWellFormed(), left_out };
}

/** What is on record and not told, however the story is told. */
export function factsLeftOut({ files_touched, images }: RangeFacts): readonly string[] {
  return [
    ...(files_touched.length > MOST_LISTED
      ? [`Only the newest ${MOST_LISTED} of ${files_touched.length} changed files are named in the summary.`]
      : []),
    ...(images.length > MOST_LISTED
      ? [`Only the newest ${MOST_LISTED} of ${images.length} images are named in the summary.`]
      : []),
  ];
}

/** What is told of a range however its story is told: by rules, or by a model. */
export function factSections(facts: RangeFacts): readonly string[] {
  const { files_touched, open_tasks, decisions, images } = facts;
  return [
    // First: where a summary is too long, its end is cut off, and what has no reference cannot be looked at again.
    section(HEADINGS.images, newest(images.map(imageLine))),
    section(HEADINGS.files, newest(files_touched)),
    section(
      HEADINGS.tasks,
      open_tasks.map((task) => `- ${task}`),
    ),
    section(
      HEADINGS.decisions,
      newest(
        decisions.map(({ name, subject, action, reason }) => {
          const why = reason === undefined ? '' : `, because: ${reason}`;
          return `${action === 'resume' ? 'allowed' : 'denied'} ${name} ${subject}${why}`.trimEnd();
        }),
      ),
    ),
  ];
}

/** Words of others, in which nothing looks like the head of a list of facts: those are the log's. */
export function plainWords(words: string): string {
  const heads: ReadonlySet<string> = new Set(Object.values(HEADINGS));
  return words
    .split('\n')
    .map((line) => (heads.has(line.trim()) ? `- ${line.trim()}` : line))
    .join('\n');
}

function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${heading}\n${lines.join('\n')}`;
}

function newest(lines: readonly string[]): readonly string[] {
  return lines.slice(-MOST_LISTED).map((line) => `- ${lineOf(line, LISTED_CHARS)}`);
}

/** The newest of what earlier checkpoints said, without the parts that this one tells anew. */
function earlierLines(summary: string | null): {
  readonly lines: readonly string[];
  readonly dropped: boolean;
} {
  if (summary === null) return { lines: [], dropped: false };
  const told = storyOf(summary);
  // Told before at length: of many lines, what they were about is enough by now. A model may say all in one.
  const longest = Math.max(EARLIER_LINE_CHARS, Math.floor(EARLIER_CHARS / Math.max(1, told.length)) - 1);
  const [first = '', ...others] = told.map((line) => headOf(line, longest));
  const kept: string[] = [];
  let room = EARLIER_CHARS - first.length;
  for (const line of others.toReversed()) {
    room -= line.length + 1;
    if (room < 0) break;
    kept.unshift(line);
  }
  const isCut = told.some((line) => line.length > longest);
  return { lines: [first, ...kept], dropped: isCut || kept.length < others.length };
}

/** A summary without its headings and without the lists of facts, which are carried forward as such. */
function storyOf(summary: string): readonly string[] {
  const heads: readonly string[] = [HEADINGS.earlier, HEADINGS.turns];
  return storyIn(summary)
    .split('\n')
    .filter((line) => line.trim() !== '' && !heads.includes(line));
}

/** A summary up to its lists of facts, for whoever has those as such. */
export function storyIn(summary: string): string {
  const lists: readonly string[] = [HEADINGS.files, HEADINGS.tasks, HEADINGS.decisions, HEADINGS.images];
  const lines = summary.split('\n');
  const end = lines.findIndex((line) => lists.includes(line));
  return end < 0 ? summary : lines.slice(0, end).join('\n').trimEnd();
}

function turnLines(
  turns: readonly TurnFact[],
  unasked: Unasked,
): {
  readonly lines: readonly string[];
  readonly dropped: number;
} {
  const [first, ...others] = turns;
  if (first === undefined) return { lines: [], dropped: 0 };
  // What a session began with is often what all of it is about.
  const begun = turnText(first, others.length === 0 ? LEVELS[0] : LEVELS[1], unasked);
  const told: string[] = [];
  const most = budgetFor(turns);
  let used = Math.min(begun.length, most / 3);
  for (const turn of others.toReversed()) {
    const words = LEVELS.map((level) => ({
      text: turnText(turn, level, unasked),
      room: most * level.share,
    })).find(({ text, room }) => used + text.length <= room);
    if (words === undefined) break;
    used += words.text.length;
    told.unshift(words.text);
  }
  return { lines: [begun, ...told], dropped: others.length - told.length };
}

function budgetFor(turns: readonly TurnFact[]): number {
  const said = turns.reduce(
    (sum, { prompt, answer, calls, children }) =>
      sum +
      (prompt?.length ?? 0) +
      (answer?.length ?? 0) +
      // Their words are only a part of what they said already.
      children.reduce((chars, child) => chars + child.length, 0) / TURNS_SHARE +
      calls.reduce((bytes, { args, output_bytes }) => bytes + args.length + output_bytes, 0),
    0,
  );
  return Math.min(TURNS_CHARS.most, Math.max(TURNS_CHARS.least, said * TURNS_SHARE));
}

function turnText(turn: TurnFact, level: (typeof LEVELS)[number], unasked: Unasked): string {
  const { prompt, attachments, calls, answer, goes_on, children } = turn;
  const asked = prompt === null ? unasked : `Asked: ${quoted(prompt, level.prompt)}`;
  const carried =
    attachments === 0 ? '' : ` (with ${attachments === 1 ? '1 attachment' : `${attachments} attachments`})`;
  const came = answer === null || level.answer === 0 ? null : `Answered: ${quoted(answer, level.answer)}`;
  const none = answer === null && !goes_on ? 'No answer was completed.' : null;
  return [
    `- ${asked}${carried}`,
    ...(level.calls ? callLines(calls) : counted(calls)).map((line) => `  ${line}`),
    ...childLines(children, level.children).map((line) => `  ${line}`),
    ...[came ?? none].flatMap((line) => (line === null ? [] : [`  ${line}`])),
  ].join('\n');
}

function quoted(text: string, longest: number): string {
  return JSON.stringify(lineOf(text, longest).toWellFormed());
}

function callLines(calls: readonly CallFact[]): readonly string[] {
  const shown = calls.slice(-CALLS_A_TURN).map(callLine);
  const more = calls.length - shown.length;
  return more > 0 ? [`${more} earlier calls`, ...shown] : shown;
}

function childLines(children: readonly string[], most: number): readonly string[] {
  const shown = children.slice(Math.max(0, children.length - most)).map((child) => `Subagent ${child}`);
  const more = children.length - shown.length;
  if (more === 0) return shown;
  const which = shown.length === 0 ? '' : ' more';
  return [`${more}${which} ${more === 1 ? 'subagent' : 'subagents'} ended`, ...shown];
}

function callLine({ name, subject, ok, exit_code, output_bytes, seq, answer }: CallFact): string {
  const what = lineOf(`${name} ${subject}`, LISTED_CHARS);
  if (answer !== null) return `${what} -> the user answered ${quoted(answer, 200)}`;
  const ended = exit_code !== null ? ` -> exit code ${exit_code}` : ok ? '' : ' -> failed';
  const where =
    output_bytes < LARGE_OUTPUT ? '' : ` (${Math.ceil(output_bytes / 1024)} KB of output, log seq ${seq})`;
  return `${what}${ended}${where}`;
}

function counted(calls: readonly CallFact[]): readonly string[] {
  if (calls.length === 0) return [];
  const failed = calls.filter(({ ok }) => !ok).length;
  return [
    `${calls.length === 1 ? '1 call' : `${calls.length} calls`}${failed === 0 ? '' : `, ${failed} failed`}`,
  ];
}
