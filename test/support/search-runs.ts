/** How many times the everyday cases are tried; `npm run simulate -- --seeds 10` says it. */
const TIMES = timesIn(process.env['LEDGERLINE_SEEDS'] ?? '1');

/** True while somebody searches longer: what is chosen every day is then all there is. */
export const SEARCHING = TIMES > 1;

/** So many cases, seeds or runs, or as many times that as was asked for. Also of milliseconds that they may take. */
export function searchRuns(everyDay: number): number {
  return everyDay * TIMES;
}

/** All cases in a longer search, and every day those that stand for the others. */
export function searchCases<T>(all: readonly T[], everyDay: readonly T[]): readonly T[] {
  return SEARCHING ? all : everyDay;
}

/** Anything else would search nothing, and succeed. */
export function timesIn(words: string): number {
  if (!/^[1-9]\d*$/.test(words))
    throw new Error(`LEDGERLINE_SEEDS is a number of at least 1, not "${words}".`);
  return Number(words);
}
