import { describe, expect, it } from '@jest/globals';
import { parseDuration } from './duration.js';

describe('a duration', () => {
  it.each([
    ['0', 0],
    ['90s', 90_000],
    ['15m', 900_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '7', '-1h', '1.5h', '1w', '24 h', '9999999d'])('is not %j', (text) => {
    expect(() => parseDuration(text)).toThrow(
      'A duration must be 0, or a number below 1000000 with s, m, h or d',
    );
  });
});
