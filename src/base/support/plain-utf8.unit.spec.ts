import { describe, expect, it } from '@jest/globals';
import { isPlainUtf8 } from './plain-utf8.js';

describe('a body', () => {
  it.each([
    undefined,
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; CHARSET=utf-8; profile=x',
    'application/json; profile="; charset=latin1"',
    'application/json; charset=',
  ])('of %j is UTF-8', (type) => {
    expect(isPlainUtf8({ 'content-type': type })).toBe(true);
  });

  it.each([
    'application/json; charset=latin1',
    'application/json; charset="utf-16"',
    'application/json; profile=x; Charset=utf-16',
    'application/json; charset=utf8',
    'application/json; charset=latin1; charset=utf-8',
  ])('of %j is not', (type) => {
    expect(isPlainUtf8({ 'content-type': type })).toBe(false);
  });

  it('with a content encoding is not', () => {
    expect(isPlainUtf8({ 'content-type': 'application/json', 'content-encoding': 'gzip' })).toBe(false);
  });
});
