import { describe, expect, it } from '@jest/globals';
import { readForm, writeForm } from './form.js';

describe('a form', () => {
  it.each([
    ['a=b&c=d', { a: 'b', c: 'd' }],
    ['a=b+c%20d%2B&', { a: 'b c d+' }],
    ['a=%C3%A4&b', { a: 'ä', b: '' }],
    ['a=b=c', { a: 'b=c' }],
    ['', {}],
  ])('%j is read', (text, expected) => {
    expect(Object.fromEntries(readForm(text))).toEqual(expected);
  });

  it.each(['a=%', 'a=%zz', 'a=%C3', 'a=%FF', '%=a', 'a=1&a=1', 'a=1&%61=2', 'x=1&a=2&x='])(
    '%j is refused',
    (text) => {
      expect(() => readForm(text)).toThrow(expect.objectContaining({ status: 400, code: 'invalid_request' }));
    },
  );

  it('with more than 100 parameters is refused before any is decoded', () => {
    const of = (count: number) => Array.from({ length: count }, (_, at) => `a${at}=`).join('&');
    expect(readForm(`${of(100)}&&`).size).toBe(100);
    expect(() => readForm(`%zz&${of(100)}`)).toThrow('Too many parameters: send at most 100.');
  });

  it('is written with the named parameters, and reads back the same', () => {
    const form = readForm('a=%26+%3D&b=2&c=3');
    expect(Object.fromEntries(readForm(writeForm(form, ['c', 'a', 'd'])))).toEqual({ a: '& =', c: '3' });
  });
});
