import { median, row, type Row } from '../table.ts';
import { CHILDREN_ARGUMENT, type Measured, type Plan } from './children-run.ts';
import { inFreshProcess } from './fresh-process.ts';
import { REMAINS_ARGUMENT, type Remains } from './remains-run.ts';
import { SESSIONS_ARGUMENT, type SessionsMeasured } from './sessions-run.ts';

const TIMES = 5;
/** As many as a person can set to run at once. */
const SETTING = 64;
const SESSIONS = 32;
const KB = 1024;
const MB = 1024 * KB;
/** The most that a child may take while it runs. */
const MEMORY_GOAL_MB = 1;
/** The longest that anything else may have to wait while children run. */
const DELAY_GOAL_MS = 20;

const plain = (children: number, at_once = SETTING): Plan => ({ children, at_once, answers: 'at_once' });
const held = (children: number): Plan => ({ children, at_once: children, answers: 'held' });
const SLOW: Plan = { children: SETTING, at_once: SETTING, answers: 'slow' };

const ONE = plain(1);
const PLAIN = [ONE, plain(8), plain(64), plain(256), plain(1000), plain(256, 256)];
const HELD = [held(64), held(256), held(1000)];

type Runs = ReadonlyMap<Plan, readonly Measured[]>;

/** Turns that hand work to children, and what these take; then many conversations at once. */
export async function childrenCost(): Promise<readonly Row[]> {
  const runs = new Map<Plan, Measured[]>();
  const remains: Remains[] = [];
  const sessions: SessionsMeasured[] = [];
  // All of them in alternation, so that a noisy hour hits all.
  for (let time = 0; time < TIMES; time += 1) {
    for (const plan of [...PLAIN, ...HELD, SLOW]) {
      const measured = await inFreshProcess<Measured>(CHILDREN_ARGUMENT, JSON.stringify(plan));
      runs.set(plan, [...(runs.get(plan) ?? []), measured]);
    }
    remains.push(await inFreshProcess(REMAINS_ARGUMENT));
    sessions.push(await inFreshProcess(SESSIONS_ARGUMENT, String(SESSIONS)));
  }
  return [
    ...PLAIN.flatMap((plan) => timeRows(runs, plan)),
    ...PLAIN.filter((plan) => plan !== ONE).map((plan) => spawnRow(runs, plan)),
    ...HELD.flatMap((plan) => memoryRows(runs, plan)),
    ...remainsRows(remains, runs),
    ...[plain64(), SLOW].flatMap((plan) => delayRows(runs, plan)),
    logRow(runs),
    ...sessionsRows(sessions),
  ];
}

function plain64(): Plan {
  return PLAIN.find(({ children }) => children === SETTING) ?? ONE;
}

function timeRows(runs: Runs, plan: Plan): readonly Row[] {
  const { children } = plan;
  const all = runs.get(plan) ?? [];
  const wall = all.map(({ turn }) => turn.wall_ms);
  const cpu = all.map(({ turn }) => turn.cpu_ms / children);
  const bareWall = median(all.map(({ bare }) => bare?.wall_ms ?? Number.NaN));
  const bareCpu = median(all.map(({ bare }) => (bare?.cpu_ms ?? Number.NaN) / children));
  return [
    row(`turn with ${nameOf(plan)}`, {
      ours: median(wall),
      baseline: median(all.map(({ alone }) => (alone?.wall_ms ?? Number.NaN) * children)),
      unit: 'ms',
      note: `against one session after the other; ${rangeOf(wall)}; bare exchanges ${bareWall.toFixed(0)}`,
    }),
    row(`- processor time of one`, {
      ours: median(cpu),
      baseline: median(all.map(({ alone }) => alone?.cpu_ms ?? Number.NaN)),
      unit: 'ms',
      note: `against a session alone; ${rangeOf(cpu)}; bare exchanges ${bareCpu.toFixed(1)}`,
    }),
  ];
}

function spawnRow(runs: Runs, plan: Plan): Row {
  const of = (one: Plan, which: 'p50' | 'p99'): number =>
    median((runs.get(one) ?? []).map(({ spawn_ms }) => spawn_ms[which]));
  return row(`spawn to first request, ${nameOf(plan)}`, {
    ours: of(plan, 'p50'),
    baseline: of(ONE, 'p50'),
    unit: 'ms',
    note: `against 1 child; p99 ${of(plan, 'p99').toFixed(0)}`,
  });
}

function memoryRows(runs: Runs, plan: Plan): readonly Row[] {
  const all = runs.get(plan) ?? [];
  const taken = (which: 'held' | 'resident'): readonly number[] =>
    all.map(
      ({ memory: { before, amid } }) => ((amid?.[which] ?? Number.NaN) - before[which]) / plan.children / MB,
    );
  const one = (name: string, which: 'held' | 'resident'): Row =>
    row(`${name} of a running child, ${nameOf(plan)}`, {
      ours: median(taken(which)),
      baseline: MEMORY_GOAL_MB,
      unit: 'MB',
      goal: 1,
      note: rangeOf(taken(which)),
    });
  return [one('memory', 'held'), one('resident memory', 'resident')];
}

function remainsRows(remains: readonly Remains[], runs: Runs): readonly Row[] {
  const parent = median((runs.get(plain64()) ?? []).map(({ log }) => log.parent)) / KB;
  const one = (name: string, which: keyof Remains): Row => {
    const all = remains.map((each) => each[which] / KB);
    return row(`memory left of a finished child, ${name}`, {
      ours: median(all),
      baseline: parent,
      unit: 'KB',
      note: `against its lines in the log of its parent; ${rangeOf(all)}`,
    });
  };
  return [one('parent open', 'open'), one('parent left', 'left')];
}

function delayRows(runs: Runs, plan: Plan): readonly Row[] {
  const all = runs.get(plan) ?? [];
  const wall = all.map(({ loop }) => loop.wall.p99);
  const busy = all.map(({ loop }) => loop.busy.p99);
  const control = median(all.map((one) => one.control.wall.p99));
  const most = Math.max(...all.map(({ loop }) => loop.busy.most)).toFixed(0);
  const how = plan.answers === 'slow' ? 'that stream' : 'answered at once';
  return [
    row(`event loop delay p99, ${SETTING} ${how}`, {
      ours: median(wall),
      baseline: DELAY_GOAL_MS,
      unit: 'ms',
      goal: 1,
      note: `${rangeOf(wall)}; of a program that works 1 ms at a time: ${control.toFixed(1)}`,
    }),
    row(`- processor time in one go, p99`, {
      ours: median(busy),
      baseline: DELAY_GOAL_MS,
      unit: 'ms',
      goal: 1,
      note: `${rangeOf(busy)}; longest of all ${most}`,
    }),
  ];
}

function logRow(runs: Runs): Row {
  const all = runs.get(plain64()) ?? [];
  return row('log of a child', {
    ours: median(all.map(({ log }) => log.own + log.parent)),
    baseline: median(all.map(({ alone }) => alone?.log ?? Number.NaN)),
    unit: 'bytes',
    note: `against the same session alone; ${median(all.map(({ log }) => log.parent)).toFixed(0)} in the log of its parent`,
  });
}

function sessionsRows(sessions: readonly SessionsMeasured[]): readonly Row[] {
  const runs = sessions.map(({ together }) => together.runs);
  const cpu = sessions.map(({ together }) => together.cpu_ms);
  return [
    row(`${SESSIONS} sessions at once`, {
      ours: median(runs),
      baseline: median(sessions.map(({ one }) => one.runs)),
      unit: 'runs/s',
      note: `against one alone; the more the better; ${rangeOf(runs)}`,
    }),
    row('- processor time of a run', {
      ours: median(cpu),
      baseline: median(sessions.map(({ one }) => one.cpu_ms)),
      unit: 'ms',
      note: `against one alone; ${rangeOf(cpu)}`,
    }),
  ];
}

function nameOf({ children, at_once }: Plan): string {
  const some = children === 1 ? '1 child' : `${children} children`;
  return children > SETTING && at_once > SETTING ? `${some} at once` : some;
}

function rangeOf(values: readonly number[]): string {
  const digits = Math.max(...values) < 10 ? 2 : 0;
  return `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;
}
