import type { CompactedImage, CompactionRecord } from '../context-events.ts';
import type { EventData, LogEvent } from '../events.ts';
import { list, parsed, text } from '../loose-fields.ts';
import { imagesIn, imagesOf, namelessImagesIn } from '../session-images.ts';
import { answersIn } from './answers.ts';
import { callFacts, compactedCalls, countsIn, sortedCounts, type CallFact } from './call-facts.ts';
import type { Cut } from './cut.ts';
import type { History } from './history.ts';
import { BY_MODEL_BEFORE } from './limitations.ts';
import { openTasks } from './open-tasks.ts';
import { decisionIn, decisionsOf } from './past-decisions.ts';
import { endsIn } from './remembered-children.ts';
import { plainWords } from './summary.ts';
import { turnsOf, type TurnFact } from './turn-facts.ts';

type Listed = Pick<
  CompactionRecord,
  'event_counts' | 'tool_calls' | 'files_touched' | 'open_tasks' | 'decisions' | 'skills_dropped'
> & {
  /** Called by their references; the newest last. */
  readonly images: readonly CompactedImage[];
};

/** What a checkpoint stands for, with the facts of the checkpoint before it. */
export interface RangeFacts extends Listed {
  readonly turns: readonly TurnFact[];
  readonly earlier: string | null;
  /** Some of that is a model's words. */
  readonly earlier_by_model: boolean;
  /** What the range had and the checkpoint does not repeat. */
  readonly lost: {
    readonly outputs: number;
    readonly output_bytes: number;
    /** Images without a reference. */
    readonly images: number;
    /** Images that are not in the list any more. */
    readonly listed_images: number;
    readonly reasoning: number;
    readonly failed_turns: number;
    readonly files: number;
    readonly decisions: number;
    readonly tasks: number;
  };
}

const MOST_FILES = 100;
const MOST_TASKS = 30;
const MOST_DECISIONS = 40;
const MOST_SKILLS = 30;
const MOST_IMAGES = 100;

/** Pure: the facts of everything before a cut. */
export function rangeFacts(history: History, cut: Cut): RangeFacts {
  const keeps = new Set(cut.keeps);
  const before = history.events.filter(({ seq }) => seq < cut.tail_from_seq && !keeps.has(seq));
  const tail = history.events.filter(({ seq }) => seq >= cut.tail_from_seq || keeps.has(seq));
  const earlier = history.checkpoint?.data ?? null;
  const calls = callFacts(before, history.sizes);
  // What a fork left behind is summed up as a checkpoint is.
  const branches = before.flatMap((event) => (event.type === 'branch_summary' ? [event.data] : []));
  const summaries = [...branches, ...(earlier === null ? [] : [earlier])];
  const files = distinct([
    ...summaries.flatMap((one) => texts(one, 'files_touched')),
    ...filesOf(before, calls),
  ]);
  const decisions = [
    ...list(earlier, 'decisions').flatMap(decisionIn),
    ...decisionsOf(history.events, before),
  ];
  const skills = distinct([...texts(earlier, 'skills_dropped'), ...skillsOf(before)]);
  // What is active in the tail as well is sent from there.
  const inForce = new Set(skillsOf(tail));
  const openBefore = summaries.flatMap((one) => texts(one, 'open_tasks'));
  const tasks = openTasks(history.events, { calls, tail, openBefore });
  const answers = answersIn(history.events);
  const turns = turnsOf(before, calls, { tail, answers, ends: endsIn(history.events) });
  const failed = failedTurns(history.events);
  // What the model still has, or was shown again since, is sent from there.
  const sent = new Set(tail.flatMap(imagesIn).map(({ sha256 }) => sha256));
  const images = imagesOf(earlier, before, history.events).filter(({ sha256 }) => !sent.has(sha256));
  return {
    turns,
    earlier: toldBefore(branches, earlier),
    earlier_by_model:
      earlier?.strategy === 'model_assisted_v1' || earlier?.limitations.includes(BY_MODEL_BEFORE) === true,
    event_counts: added(earlier?.event_counts, history.countsBefore(cut.tail_from_seq)),
    tool_calls: compactedCalls(calls, earlier?.tool_calls),
    files_touched: files.slice(-MOST_FILES),
    open_tasks: tasks.slice(0, MOST_TASKS),
    decisions: decisions.slice(-MOST_DECISIONS),
    skills_dropped: skills.filter((name) => !inForce.has(name)).slice(-MOST_SKILLS),
    images: images.slice(-MOST_IMAGES),
    lost: {
      outputs: calls.filter(({ output_bytes }) => output_bytes > 0).length,
      output_bytes: calls.reduce((sum, { output_bytes }) => sum + output_bytes, 0),
      images: before.reduce((sum, event) => sum + namelessImagesIn(event), 0),
      listed_images: Math.max(0, images.length - MOST_IMAGES),
      reasoning: before.filter(({ type }) => type === 'reasoning').length,
      // Where the log does not say that a turn failed, as in a fork, it is one that is over without an answer.
      failed_turns: turns.filter(
        ({ turn_id, goes_on }) => failed.has(turn_id) || !(goes_on || answers.has(turn_id)),
      ).length,
      files: Math.max(0, files.length - MOST_FILES),
      decisions: Math.max(0, decisions.length - MOST_DECISIONS),
      tasks: Math.max(0, tasks.length - MOST_TASKS),
    },
  };
}

/** The checkpoint comes last: of a summary, what follows its lists of facts is not told on. */
function toldBefore(
  branches: readonly EventData['branch_summary'][],
  checkpoint: EventData['history_compaction'] | null,
): string | null {
  const told = branches.map(({ summary }) => plainWords(summary));
  const all = checkpoint === null ? told : [...told, checkpoint.summary];
  return all.length === 0 ? null : all.join('\n');
}

/** Of a turn that is cut, the log says so in the tail. */
function failedTurns(events: readonly LogEvent[]): ReadonlySet<string> {
  return new Set(events.flatMap((one) => (one.type === 'turn_failed' ? [one.data.turn_id] : [])));
}

const WRITERS: ReadonlySet<string> = new Set(['write_file', 'edit_file']);

/** By their evidence; a fork has only the calls. */
function filesOf(before: readonly LogEvent[], calls: readonly CallFact[]): readonly string[] {
  return [
    ...calls.flatMap(({ name, ok, args }) => (ok && WRITERS.has(name) ? [text(parsed(args), 'path')] : [])),
    ...before.flatMap((event) => (event.type === 'file_change' ? [event.data.path] : [])),
  ].filter((path) => path !== '');
}

function skillsOf(before: readonly LogEvent[]): readonly string[] {
  return before.flatMap((event) => (event.type === 'skill_activation' ? [event.data.name] : []));
}

function added(before: unknown, counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const sums = new Map<string, number>(countsIn(before));
  for (const [type, count] of Object.entries(counts)) sums.set(type, (sums.get(type) ?? 0) + count);
  return sortedCounts(sums);
}

function texts(value: unknown, key: string): readonly string[] {
  return list(value, key).filter((one): one is string => typeof one === 'string');
}

/** In order of their last appearance: what is cut off is what was named longest ago. */
function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values.toReversed())].toReversed();
}
