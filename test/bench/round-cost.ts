import { benchSession } from './rounds.ts';
import { storeIn, withPlace } from './place.ts';
import { median, row, type Row } from './table.ts';

const SAMPLE = 40;

/** What one more round costs late in a long session, against early in a short one. */
export async function roundCost(): Promise<readonly Row[]> {
  return withPlace(async (folder) => {
    const store = storeIn(folder);
    const short = await benchSession(store, 'short');
    const long = await benchSession(store, 'long');
    await short.turn(15);
    while (long.events() < 10_000) await long.turn(40);
    const early: number[] = [];
    const late: number[] = [];
    // Turn by turn in alternation, so that a noisy moment hits both.
    for (let i = 0; i < SAMPLE; i += 1) {
      const fresh = await benchSession(store, `early-${i}`);
      await fresh.turn(12);
      early.push(...(await fresh.turn(5)));
      await fresh.close();
      late.push(...(await long.turn(5)));
    }
    await short.close();
    const events = long.events();
    await long.close();
    return [
      row('one more round at 10,000 events', {
        ours: median(late),
        baseline: median(early),
        unit: 'ms',
        goal: 1.5,
        note: `runtime and log, without the provider's wire; ${events} events at the end`,
      }),
    ];
  });
}
