// @ts-check

/** @typedef {Readonly<Record<string, number>>} Counts */

/**
 * What the tests of a part may open at the most: a window of VS Code takes seconds, and seconds differ from machine to
 * machine, so windows are what is counted. Whoever needs more raises the number here, and says why in the commit.
 * @type {Readonly<Record<string, Counts>>}
 */
export const BUDGETS = {
  page: { pages: 116, reloads: 8 },
  e2e: { windows: 14, reloads: 6 },
};

/**
 * What each process of a part has counted, together.
 * @param {readonly Counts[]} counts
 * @returns {Counts}
 */
export function sumOf(counts) {
  /** @type {Record<string, number>} */
  const sum = {};
  for (const each of counts)
    for (const [what, number] of Object.entries(each)) sum[what] = (sum[what] ?? 0) + number;
  return sum;
}

/**
 * @param {{part: string, counts: Counts}} options
 * @returns {string[]} a line for each budget that was passed
 */
export function passedBudgets({ part, counts }) {
  return Object.entries(counts).flatMap(([what, number]) => {
    const most = BUDGETS[part]?.[what] ?? 0;
    return number <= most
      ? []
      : [`${part} opened ${number} ${what}; its budget is ${most} (src/dev/test-budgets.mjs).`];
  });
}

/**
 * @param {{part: string, counts: Counts}} options
 * @returns {string} such as `windows 14 of 14, reloads 6 of 6`
 */
export function describeCounts({ part, counts }) {
  return Object.entries(BUDGETS[part] ?? {})
    .map(([what, most]) => `${what} ${counts[what] ?? 0} of ${most}`)
    .join(', ');
}
