import { describe, expect, it } from '@jest/globals';
import { canonicalJson } from './canonical-json.js';

describe('canonical JSON (RFC 8785)', () => {
  it('is the example of section 3.2.2', () => {
    const numbers = JSON.parse(
      '[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001]',
    ) as number[];
    const value = {
      numbers,
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      `{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"\u20ac$\\u000f\\nA'B\\"\\\\\\\\\\"/"}`,
    );
  });

  it('sorts names by their UTF-16 code units, as the example of section 3.2.3', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    const names = Object.keys(JSON.parse(canonicalJson(value)) as object);
    // JSON.parse puts an integer first; so does the sorted form but for the carriage return.
    expect(names).toEqual(['1', '\r', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33']);
    expect(canonicalJson(value)).toMatch(/^\{"\\r":"Carriage Return","1":"One",/);
  });

  it('has no undefined fields, and the same form for the same value', () => {
    expect(canonicalJson({ b: 1, a: undefined, c: { z: -0, y: '' } })).toBe('{"b":1,"c":{"y":"","z":0}}');
    expect(canonicalJson({ c: { y: '', z: 0 }, b: 1 })).toBe(canonicalJson({ b: 1, c: { z: 0, y: '' } }));
  });

  it.each([Number.NaN, Infinity, '\ud800', { '\udc00': 1 }, 1n, [undefined], () => 1])(
    'refuses a value without such a form',
    (value) => {
      expect(() => canonicalJson(value)).toThrow(TypeError);
    },
  );
});
