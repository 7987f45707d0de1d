import { shownText } from '../account/account.js';

/** Up to 500 code points, in any number of lines: no control characters but the line feed, no lone surrogates. */
const bioPattern = /^(?:[^\p{Cc}\p{Cs}]|\n){0,500}$/u;

/** What is wrong with it, in words; undefined: nothing. */
export const bioFault = (bio: string): string | undefined =>
  bioPattern.test(shownText(bio))
    ? undefined
    : 'A bio has up to 500 code points, and no control characters but the line feed.';
