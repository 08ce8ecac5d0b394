import assert from 'node:assert/strict';
import test from 'node:test';
import { subtotal, total } from '../src/invoice.js';

const lines = [
  { name: 'Pencil', quantity: 3, price: 120 },
  { name: 'Paper', quantity: 1, price: 450 },
];

await test('a line counts once for each piece', () => {
  assert.equal(subtotal(lines), 810);
});

await test('tax is added to the subtotal', () => {
  assert.equal(total([{ name: 'Pencil', quantity: 1, price: 1000 }], 19), 1190);
});
