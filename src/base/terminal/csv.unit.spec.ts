import { describe, expect, it } from '@jest/globals';
import { csvLine } from './csv.js';

describe('a line of CSV', () => {
  it('ends with CR LF, and is empty where a value is missing', () => {
    expect(csvLine(['a', 1, null, undefined])).toBe('a,1,,\r\n');
  });

  it('quotes commas, quotes and line breaks', () => {
    expect(csvLine(['a,b', 'say "hi"', 'two\nlines'])).toBe('"a,b","say ""hi""","two\nlines"\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@a', '\t=1'])('has no formula in a text of others: %j', (free) => {
    expect(csvLine([{ free }])).toBe(`'${free}\r\n`);
  });

  it('leaves an identifier with a hyphen alone', () => {
    expect(csvLine(['-k3Jx0', { free: 'a = b' }])).toBe('-k3Jx0,a = b\r\n');
  });
});
