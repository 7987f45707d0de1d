/**
 * The work of normalizing is the square of the combining marks in a row, since each finds its place among those before
 * it. The stream-safe text format has at most 30, far more than any language needs (Unicode Standard Annex #15, section 13).
 */
const MARKS_IN_A_ROW_MAX = 30;

/** In no language NFC makes one code point of more than four UTF-16 code units (U+1F82 is alpha and three marks). */
const CODE_UNITS_PER_CODE_POINT = 4;

/**
 * The general category Mark has all characters with a combining class, and so all that are put in order. The lookbehind
 * keeps this linear: each run is counted from its first mark alone.
 */
const tooManyMarks = new RegExp(String.raw`(?<!\p{M})\p{M}{${MARKS_IN_A_ROW_MAX + 1}}`, 'u');

/** A text in NFC, or why it is none, as the rest of a sentence about it. */
export type Normalized = { readonly text: string } | { readonly fault: string };

/**
 * NFC of a text that somebody sent, with work that its bounds limit: it is refused before it is normalized where it has
 * more than four times as many UTF-16 code units as it may have code points, or more than 30 combining marks in a row.
 * Whether it has few enough code points then is the caller's to say. Trim before: white space counts here.
 */
export function normalizeText(given: string, maxCodePoints: number): Normalized {
  const maxCodeUnits = maxCodePoints * CODE_UNITS_PER_CODE_POINT;
  if (given.length > maxCodeUnits)
    return { fault: `has ${given.length} UTF-16 code units, where at most ${maxCodeUnits} are normalized` };
  if (tooManyMarks.test(given))
    return { fault: `has more than ${MARKS_IN_A_ROW_MAX} combining marks in a row` };
  return { text: given.normalize('NFC') };
}
