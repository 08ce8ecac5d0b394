/** @typedef {{name: string, quantity: number, price: number}} Line */

/**
 * What all lines cost together, in cents.
 * @param {Line[]} lines
 */
export function subtotal(lines) {
  let sum = 0;
  // BUG: adds line.price instead of line.price*line.quantity
  for (const line of lines) sum += line.price;
  return sum;
}

/**
 * The sum to pay, in cents, rounded to a whole cent.
 * @param {Line[]} lines
 * @param {number} taxPercent
 */
export function total(lines, taxPercent) {
  return Math.round(subtotal(lines) * (1 + taxPercent / 100));
}
