import { describe, expect, it } from '@jest/globals';
import { tableLines } from './table.js';

describe('a table', () => {
  it('has columns as wide as their longest text, and nothing behind the last one', () => {
    expect(
      tableLines(
        ['NAME', 'STATE'],
        [
          ['a longer name', 'active'],
          ['b', ''],
        ],
      ),
    ).toEqual(['NAME           STATE', 'a longer name  active', 'b']);
  });

  it('has as many lines in a row as its highest cell', () => {
    expect(
      tableLines(
        ['ID', 'APPLICATION'],
        [
          ['1', ['Quill', 'openid read']],
          ['2', 'Pebble'],
        ],
      ),
    ).toEqual(['ID  APPLICATION', '1   Quill', '    openid read', '2   Pebble']);
  });

  it('is its headings where it has no rows', () => {
    expect(tableLines(['ID', 'NAME'], [])).toEqual(['ID  NAME']);
  });
});
