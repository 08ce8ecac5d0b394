import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { bareExchanges } from './bare-exchanges.ts';
import { childrenIn, eventsOf, logOf } from './children-logs.ts';
import { diligence, spread, watched, type LoopDelay, type Spread } from './loop-watch.ts';
import { memoryInUse, type Memory } from './memory.ts';
import type { Arrival, Manner, Model } from './model-process.ts';
import { childLabel, readPrompt, spawnPrompt } from './model-script.ts';
import { Talk, withModel, type Place } from './talk.ts';

/** One turn with children, in a process of its own. */

export interface Plan {
  readonly children: number;
  readonly at_once: number;
  readonly answers: Manner['kind'];
}

export interface Took {
  readonly wall_ms: number;
  readonly cpu_ms: number;
}

export interface Measured {
  readonly turn: Took;
  /** From `running` of the call that asked for it to its first request, of those that had not to queue. */
  readonly spawn_ms: Spread;
  readonly loop: LoopDelay;
  /** The loop of a program that is never busy for long. */
  readonly control: LoopDelay;
  /** Before the turn, and in the middle of all answers where these were held. */
  readonly memory: { readonly before: Memory; readonly amid: Memory | null };
  /** Bytes a child, in its own log and in that of its parent. */
  readonly log: { readonly own: number; readonly parent: number };
  /** Where answers come at once: the same requests without us, and one such session alone. */
  readonly bare: Took | null;
  readonly alone: (Took & { readonly log: number }) | null;
}

export const CHILDREN_ARGUMENT = '--children-run';

const SESSION = 'parent';
const LABEL = 'c';
/** Between two deltas of one child: 64 of them make 1,280 deltas a second. */
const DELTA_MS = 50;
/** So many sessions, one after the other, tell what one takes. */
const MOST_ALONE = 64;
const CONTROL_MS = 3000;

export function runChildren(plan: Plan): Promise<Measured> {
  return withModel(async (place, model) => {
    const talk = new Talk(place, SESSION, plan.at_once);
    await talk.ready();
    await talk.turn(spawnPrompt(1, 'first'));
    await model.arrivals();
    const logBefore = await sizeOf(place, SESSION);
    await model.answer(mannerOf(plan));
    const before = await memoryInUse();
    const amid = plan.answers === 'held' ? amidAnswers(model) : Promise.resolve(null);
    const { value: turn, loop } = await watched(() =>
      timed(() => talk.turn(spawnPrompt(plan.children, LABEL))),
    );
    await talk.close();
    const arrivals = await model.arrivals();
    const { loop: control } = await watched(() => diligence(CONTROL_MS));
    await model.answer({ kind: 'at_once' });
    const isPlain = plan.answers === 'at_once';
    return {
      turn,
      spawn_ms: spread(await spawnTimes(place, plan, arrivals)),
      loop,
      control,
      memory: { before, amid: await amid },
      log: await logSizes(place, plan.children, logBefore),
      bare: isPlain ? await bare(model, plan, arrivals) : null,
      alone: isPlain ? await alone(place, Math.min(plan.children, MOST_ALONE)) : null,
    };
  });
}

function mannerOf({ answers, children }: Plan): Manner {
  switch (answers) {
    case 'at_once':
      return { kind: 'at_once' };
    case 'held':
      return { kind: 'held', until: children };
    case 'slow':
      return { kind: 'slow', every_ms: DELTA_MS };
  }
}

async function amidAnswers(model: Model): Promise<Memory> {
  await model.held();
  // What was sent last is still on its way, and is then kept beside the log.
  await delay(1000);
  const memory = await memoryInUse();
  model.release();
  return memory;
}

async function timed(work: () => Promise<void>): Promise<Took> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const wall_ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { wall_ms, cpu_ms: (user + system) / 1000 };
}

function bare({ url }: Model, { at_once }: Plan, arrivals: readonly Arrival[]): Promise<Took> {
  const sessions = Map.groupBy(arrivals, ({ label }) => label);
  const bodies = [...sessions.values()].map((all) => all.map(({ body }) => body));
  return timed(() => bareExchanges(url, bodies, at_once));
}

/** Each session opened, asked once and closed before the next. */
async function alone(place: Place, sessions: number): Promise<NonNullable<Measured['alone']>> {
  const ids = Array.from({ length: sessions }, (_, i) => `alone-${i}`);
  const all = await timed(async () => {
    for (const id of ids) {
      const talk = new Talk(place, id);
      await talk.ready();
      await talk.turn(readPrompt(1, id));
      await talk.close();
    }
  });
  const log = await sizeOf(place, 'alone-0');
  return { wall_ms: all.wall_ms / sessions, cpu_ms: all.cpu_ms / sessions, log };
}

async function spawnTimes(
  place: Place,
  { children, at_once }: Plan,
  arrivals: readonly Arrival[],
): Promise<readonly number[]> {
  const running = new Map<string, number>();
  for (const { type, ts, data } of await eventsOf(place, SESSION))
    if (type === 'tool_call_status' && data.to === 'running') running.set(data.call_id, Date.parse(ts));
  const first = new Map(
    arrivals.filter(({ step }) => step === 0).map(({ label, at }) => [label, at] as const),
  );
  return Array.from({ length: Math.min(children, at_once) }, (_, i) => {
    const label = childLabel(LABEL, i);
    return (first.get(label) ?? Number.NaN) - (running.get(label) ?? Number.NaN);
  });
}

async function logSizes(place: Place, children: number, parentBefore: number): Promise<Measured['log']> {
  const [, ...ids] = await childrenIn(place, SESSION);
  let own = 0;
  for (const id of ids) own += await sizeOf(place, id);
  return { own: own / children, parent: ((await sizeOf(place, SESSION)) - parentBefore) / children };
}

async function sizeOf(place: Place, id: string): Promise<number> {
  return (await stat(logOf(place, id))).size;
}
