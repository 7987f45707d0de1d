import { describe, expect, it } from '@jest/globals';
import { Float64Column, Uint32Column } from './columns.js';

describe.each([
  ['of 4 bytes a value', Uint32Column, 4_000_000_000],
  ['of 8 bytes a value', Float64Column, 2 ** 52],
])('a column %s', (_, Column, large) => {
  it('keeps pushed and set values, however many', () => {
    const column = new Column();
    for (let i = 0; i < 5000; i++) column.push(i);
    column.set(4999, large);
    expect([0, 1023, 1024, 4998, 4999].map((i) => column.at(i))).toEqual([0, 1023, 1024, 4998, large]);
    expect(column.length).toBe(5000);
  });

  it('refuses to set a value that was never pushed', () => {
    const column = new Column();
    column.push(1);
    expect(() => column.set(1, 2)).toThrow(RangeError);
    expect(() => column.set(5000, 2)).toThrow(RangeError);
  });
});
