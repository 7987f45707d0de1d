import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { hasRepeatedField } from './repeated-field.js';

const isRepeated = (text: string) => hasRepeatedField(text, JSON.parse(text));

describe('a field that an object names twice', () => {
  it.each([
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"b":[{"a":1,"a":2}]}',
    '{"b":{"c":"\\\\\\"","c":":"}}',
    '{"__proto__":1,"__proto__":2}',
    '{"":0,"":":"}',
  ])('is found in %s', (text) => {
    expect(isRepeated(text)).toBe(true);
  });

  it.each([
    '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
    '{"a":":\\":\\\\","b":"{\\"a\\":1"}',
    '{"__proto__":1}',
    '":"',
  ])('is not found in %s', (text) => {
    expect(isRepeated(text)).toBe(false);
  });

  it('is not found in what JSON.stringify makes, and found as soon as one is there', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (object) => {
        const text = JSON.stringify(object);
        const [name] = Object.keys(object);
        expect(isRepeated(text)).toBe(false);
        expect(isRepeated(`${text.slice(0, -1)},${JSON.stringify(name)}:null}`)).toBe(true);
      }),
    );
  });

  it('is found at any depth that JSON.parse accepts', () => {
    const depth = 30_000;
    expect(isRepeated(`${'['.repeat(depth)}{"a":1,"a":2}${']'.repeat(depth)}`)).toBe(true);
  });
});
