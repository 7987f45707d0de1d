import { expect, it } from '@jest/globals';
import { pageLimit } from './fields.js';

it.each([
  ['0', 1],
  ['-9'.padEnd(400, '9'), 1],
  ['7', 7],
  ['501', 500],
  ['9007199254740992', 500],
  ['9'.repeat(400), 500],
  ['1e3', 50],
  ['7.5', 50],
  ['', 50],
  [undefined, 50],
  [['7', '7'], 50],
])('a page of limit %j has at most %d rows', (given, rows) => {
  expect(pageLimit({ most: 500 }).parse(given)).toBe(rows);
});
