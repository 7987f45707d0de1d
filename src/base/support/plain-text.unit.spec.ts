import { describe, expect, it } from '@jest/globals';
import { plainLine, plainText } from './plain-text.js';

describe('text for a terminal', () => {
  it.each([
    ['\u001b]0;title\u0007', String.raw`\u001b]0;title\u0007`],
    ['\u009b31mred', String.raw`\u009b31mred`],
    ['over\u202etxt.exe', String.raw`over\u202etxt.exe`],
    ['\u2066isolated\u2069', String.raw`\u2066isolated\u2069`],
    ['\u061cmarks\u200e\u200f', String.raw`\u061cmarks\u200e\u200f`],
    ['first\rsecond', String.raw`first\u000dsecond`],
    ['line\u2028and\u2029paragraph', String.raw`line\u2028and\u2029paragraph`],
    ['\ud83d alone', String.raw`\ud83d alone`],
    ['\u{e0041} as a tag', String.raw`\udb40\udc41 as a tag`],
    ['\u007f', String.raw`\u007f`],
  ])('contains no control characters: %j', (given, shown) => {
    expect(plainText(given)).toBe(shown);
  });

  it.each(['Zoë Ñandú 中文 עברית 😀', 'a\tb\nc', '"quoted" \\ and §'])(
    'is otherwise unchanged: %j',
    (given) => {
      expect(plainText(given)).toBe(given);
    },
  );

  it('leaves JSON equivalent', () => {
    const value = { text: 'a\u009bb\u202ec\u0000 "\\" 😀', list: ['\u2028', '\r\n'] };
    const shown = plainText(JSON.stringify(value));
    expect(JSON.parse(shown)).toEqual(value);
    expect(shown).not.toMatch(/\p{C}/u);
  });
});

it('a plain line has no line feed, tab or other control character', () => {
  expect(plainLine('spam\n  case.decided\tBob \u202e')).toBe(
    String.raw`spam\u000a  case.decided\u0009Bob \u202e`,
  );
});
