/**
 * Normalization is quadratic in consecutive combining marks. The stream-safe text format allows 30 (Unicode Standard
 * Annex #15, section 13), far more than any language needs; texts with more are refused.
 */
const MARKS_IN_A_ROW_MAX = 30;

/** NFC composes at most four UTF-16 code units into one code point (U+1F82 is alpha and three marks). */
const CODE_UNITS_PER_CODE_POINT = 4;

/**
 * The category Mark covers every character with a combining class. The lookbehind keeps the match linear: each run is
 * counted from its first mark only.
 */
const tooManyMarks = new RegExp(String.raw`(?<!\p{M})\p{M}{${MARKS_IN_A_ROW_MAX + 1}}`, 'u');

export type Normalized = { readonly text: string } | { readonly fault: string };

/**
 * Returns a client's text in NFC with bounded work. Refuses before normalizing: more than four UTF-16 code units for
 * each allowed code point, or more than 30 consecutive combining marks. The caller trims first and checks the number of
 * code points.
 */
export function normalizeText(text: string, maxCodePoints: number): Normalized {
  const maxCodeUnits = maxCodePoints * CODE_UNITS_PER_CODE_POINT;
  if (text.length > maxCodeUnits)
    return { fault: `has ${text.length} UTF-16 code units, where at most ${maxCodeUnits} are normalized` };
  if (tooManyMarks.test(text))
    return { fault: `has more than ${MARKS_IN_A_ROW_MAX} combining marks in a row` };
  return { text: text.normalize('NFC') };
}
