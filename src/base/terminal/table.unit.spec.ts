import { describe, expect, it } from '@jest/globals';
import { plainText } from '../support/plain-text.js';
import { columnsOf, shortenedTo, tableLines } from './table.js';

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

  it('stays aligned behind texts of other scripts, marks and escaped characters', () => {
    const rows = ['Ada', '艾达', '에이다', 'अदा', 'Zoe\u0308', '\u202eadA', '🦆'].map((name) => [name, 'x']);
    const columns = tableLines(['NAME', 'X'], rows)
      .slice(1)
      .map((line) => columnsOf(line));
    expect(new Set(columns)).toEqual(new Set([String.raw`\u202eadA`.length + 3]));
  });

  it('is its headings where it has no rows', () => {
    expect(tableLines(['ID', 'NAME'], [])).toEqual(['ID  NAME']);
  });
});

it.each([
  ['Ada Lovelace', 'Ada Lovelace'],
  ['Ada\tAugusta  Lovelace', 'Ada Augusta…'],
  ['Augusta Ada King', 'Augusta Ada…'],
  ['“Good morning to you”', '“Good morn…”'],
  ['艾达洛夫莱斯伯爵夫人', '艾达洛夫莱…'],
  ['\u202e\u202e\u202e', String.raw`\u202e…`],
])('a text is shortened to a number of columns, on one line: %j', (text, shown) => {
  expect(plainText(shortenedTo(12, text))).toBe(shown);
});
