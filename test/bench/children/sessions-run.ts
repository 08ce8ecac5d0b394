import { readPrompt } from './model-script.ts';
import { Talk, withModel, type Place } from './talk.ts';

/** Many conversations in one process and one storage, against one of them alone. */

export interface SessionsMeasured {
  readonly together: Rate;
  readonly one: Rate;
}

export interface Rate {
  /** Runs a second, of all of them together. */
  readonly runs: number;
  /** Processor time of one run. */
  readonly cpu_ms: number;
}

export const SESSIONS_ARGUMENT = '--sessions-run';

const ROUNDS = 3;
const RUNS = 8;

export function runSessions(sessions: number): Promise<SessionsMeasured> {
  return withModel(async (place) => {
    await rate(place, 'first', 1);
    const one = await rate(place, 'one', 1);
    return { one, together: await rate(place, 'many', sessions) };
  });
}

async function rate(place: Place, label: string, sessions: number): Promise<Rate> {
  const ids = Array.from({ length: sessions }, (_, i) => `${label}-${i}`);
  const talks = await Promise.all(
    ids.map(async (id) => {
      const talk = new Talk(place, id);
      await talk.ready();
      return { id, talk };
    }),
  );
  const cpu = process.cpuUsage();
  const began = performance.now();
  await Promise.all(
    talks.map(async ({ id, talk }) => {
      for (let run = 0; run < RUNS; run += 1) await talk.turn(readPrompt(ROUNDS, `${id}-${run}`));
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await Promise.all(talks.map(({ talk }) => talk.close()));
  const runs = sessions * RUNS;
  return { runs: runs / seconds, cpu_ms: (user + system) / 1000 / runs };
}
