/** A ratio of two counts is never this close to a whole percent without being one: what is less is an error of fractions. */
const FRACTION_ERROR = 1e-9;

/** Rounded down: 89.6 % are not said to be 90, because from 90 on something else is true. */
export function wholePercent(ratio: number): number {
  return Math.floor(ratio * 100 + FRACTION_ERROR);
}
