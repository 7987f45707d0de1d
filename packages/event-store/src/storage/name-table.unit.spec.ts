import { describe, expect, it } from '@jest/globals';
import { NameTable } from './name-table.js';

describe('a name table', () => {
  it('numbers names in the order of their appearance', () => {
    const table = new NameTable();
    const numbers = ['b', 'a', 'b', '', 'a'].map((name) => table.intern(Buffer.from(name)));
    expect(numbers).toEqual([0, 1, 0, 2, 1]);
    expect(table.find(Buffer.from('c'))).toBeUndefined();
    expect([0, 1, 2].map((number) => table.textOf(number))).toEqual(['b', 'a', '']);
  });

  it('reads a name from the middle of other bytes', () => {
    const table = new NameTable();
    table.intern(Buffer.from('xxpost-1yy'), 2, 8);
    expect(table.find(Buffer.from('post-1'))).toBe(0);
  });

  it('distinguishes very many names, some of them long', () => {
    const table = new NameTable();
    const names = Array.from(
      { length: 20_000 },
      (_, i) => `post-${i}${i % 1000 === 0 ? 'x'.repeat(70_000) : ''}`,
    );
    const numbers = names.map((_, number) => number);
    expect(names.map((name) => table.intern(Buffer.from(name)))).toEqual(numbers);
    expect(names.map((name) => table.find(Buffer.from(name)))).toEqual(numbers);
    expect(table.textOf(19_000)).toBe(names[19_000]);
  });
});
