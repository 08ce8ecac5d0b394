import { channelOf } from '../channels.ts';
import type { CompactedDecision, CompactionRecord } from '../context-events.ts';
import type { EventData, KnownEvent, LogEvent } from '../events.ts';
import { list, parsed, text, textOrNull } from '../loose-fields.ts';
import { lineOf } from '../text-size.ts';
import { answersIn } from './answers.ts';
import { callFacts, compactedCalls, countsIn, sortedCounts, type CallFact } from './call-facts.ts';
import type { Cut } from './cut.ts';
import { openChildren, type History } from './history.ts';
import { BY_MODEL_BEFORE } from './limitations.ts';
import { plainWords } from './summary.ts';

/** One request of the range and what came of it. */
export interface TurnFact {
  readonly turn_id: string;
  /** Null where the prompt stays in the request as it is. */
  readonly prompt: string | null;
  readonly attachments: number;
  readonly calls: readonly CallFact[];
  /** Of a turn that completed; null where there is none, or where it is in the tail. */
  readonly answer: string | null;
  /** The rest of it is in the tail. */
  readonly goes_on: boolean;
  /** What children came back with. */
  readonly children: readonly string[];
}

type Listed = Pick<
  CompactionRecord,
  'event_counts' | 'tool_calls' | 'files_touched' | 'open_tasks' | 'decisions' | 'skills_dropped'
>;

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
    readonly images: number;
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
const TASK_CHARS = 300;
const REASON_CHARS = 200;

/** Pure: the facts of everything before a cut. */
export function rangeFacts(history: History, cut: Cut): RangeFacts {
  const keeps = new Set(cut.keeps);
  const before = history.events.filter(({ seq }) => seq < cut.tail_from_seq && !keeps.has(seq));
  const tail = history.events.filter(({ seq }) => seq >= cut.tail_from_seq || keeps.has(seq));
  const earlier = history.checkpoint?.data ?? null;
  const calls = callFacts(before);
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
  const turns = turnsOf(before, calls, { tail, answers });
  const failed = failedTurns(history.events);
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
    lost: {
      outputs: calls.filter(({ output_bytes }) => output_bytes > 0).length,
      output_bytes: calls.reduce((sum, { output_bytes }) => sum + output_bytes, 0),
      images: before.reduce((sum, event) => sum + imagesOf(event), 0),
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

function turnsOf(
  before: readonly LogEvent[],
  calls: readonly CallFact[],
  { tail, answers }: { readonly tail: readonly LogEvent[]; readonly answers: ReadonlyMap<string, string> },
): readonly TurnFact[] {
  const going = new Set(tail.filter(isReplayed).map(turnOf));
  const callsOf = byTurn(calls, ({ turn_id }) => turn_id);
  return [...byTurn(before.filter(isReplayed), turnOf)].map(([turn_id, events]) => {
    const prompt = events.find((event) => event.type === 'user_message');
    return {
      turn_id,
      prompt: prompt?.data.text ?? null,
      attachments: prompt?.data.attachments.length ?? 0,
      calls: callsOf.get(turn_id) ?? [],
      // What was said on the way is not what a turn comes to: that is in the tail.
      answer: going.has(turn_id) ? null : (answers.get(turn_id) ?? null),
      goes_on: going.has(turn_id),
      children: events.flatMap((event) => (event.type === 'subagent_event' ? childWords(event) : [])),
    };
  });
}

/** A turn is where it is replayed: evidence of it, as of changes that are undone, may come long after. */
function isReplayed(event: LogEvent): boolean {
  return channelOf(event) === 'replayed';
}

/** Gone through once: of a long session there are many turns. */
function byTurn<T>(
  all: readonly T[],
  turnIdOf: (one: T) => string | undefined,
): ReadonlyMap<string, readonly T[]> {
  const turns = new Map<string, T[]>();
  for (const one of all) {
    const turn_id = turnIdOf(one);
    if (turn_id === undefined) continue;
    const known = turns.get(turn_id);
    if (known === undefined) turns.set(turn_id, [one]);
    else known.push(one);
  }
  return turns;
}

function turnOf(event: LogEvent): string | undefined {
  return 'turn_id' in event.data ? event.data.turn_id : undefined;
}

/** Of a turn that is cut, the log says so in the tail. */
function failedTurns(events: readonly LogEvent[]): ReadonlySet<string> {
  return new Set(events.flatMap((one) => (one.type === 'turn_failed' ? [one.data.turn_id] : [])));
}

function childWords({ data }: KnownEvent<'subagent_event'>): readonly string[] {
  if (data.event !== 'delivered') return [];
  return [`${data.subagent_id} ended as ${data.status}: ${lineOf(data.summary ?? '', REASON_CHARS)}`];
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

function imagesOf(event: LogEvent): number {
  if (event.type !== 'user_message') return 0;
  return event.data.attachments.filter(({ kind }) => kind === 'image').length;
}

/** What people said about calls. Those of rules and policies follow from the settings. */
function decisionsOf(all: readonly LogEvent[], before: readonly LogEvent[]): readonly CompactedDecision[] {
  const calls = new Map(
    callFacts(all).map(({ call_id, name, subject }) => [call_id, { name, subject }] as const),
  );
  return before.flatMap((event) => {
    if (event.type !== 'tool_call_decision' || event.data.decided_by !== 'user') return [];
    const { call_id, target_id, action, decided_by, reason } = event.data;
    const call = calls.get(call_id ?? target_id);
    if (call === undefined) return [];
    const why = reason === undefined || reason === '' ? {} : { reason: lineOf(reason, REASON_CHARS) };
    return [{ ...call, action, decided_by, ...why }];
  });
}

function decisionIn(value: unknown): readonly CompactedDecision[] {
  const name = textOrNull(value, 'name');
  const action = textOrNull(value, 'action');
  if (name === null || action === null) return [];
  const reason = textOrNull(value, 'reason');
  return [
    {
      name,
      subject: text(value, 'subject'),
      action,
      decided_by: text(value, 'decided_by'),
      ...(reason === null ? {} : { reason }),
    },
  ];
}

/** Children that are still at work, and steps of the last plan that are not done, unless the tail has a newer one. */
function openTasks(
  all: readonly LogEvent[],
  known: {
    readonly calls: readonly CallFact[];
    readonly tail: readonly LogEvent[];
    readonly openBefore: readonly string[];
  },
): readonly string[] {
  const working = [...openChildren(all).values()].map(
    ({ subagent_id, status, task }) =>
      `Subagent ${subagent_id} is ${status}: ${task ?? '(its task is in the log)'}`,
  );
  // A child at work outlives a plan: it is not what the bound leaves out.
  return [...working, ...planned(known)].map((task) => lineOf(task, TASK_CHARS));
}

const PLAN = 'update_plan';
const CHILD_TASK = /^Subagent \S+ is (?:queued|running): /u;

function isPlan({ name, ok }: CallFact): boolean {
  return name === PLAN && ok;
}

function planned(known: {
  readonly calls: readonly CallFact[];
  readonly tail: readonly LogEvent[];
  readonly openBefore: readonly string[];
}): readonly string[] {
  if (callFacts(known.tail).some(isPlan)) return [];
  const plan = known.calls.findLast(isPlan);
  // What is told of children is told anew each time: by now they may have ended.
  if (plan === undefined) return known.openBefore.filter((task) => !CHILD_TASK.test(task));
  return list(parsed(plan.args), 'steps').flatMap((step) => {
    const words = text(step, 'step');
    return words === '' || text(step, 'status') === 'completed' ? [] : [words];
  });
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
