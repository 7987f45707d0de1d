import { Refusal } from './refusal.js';
import { normalizeText } from './unicode.js';

const MAX_CODE_POINTS = 64;

/** Refuses characters that could reorder the text around a name, and those without an agreed meaning. */
const line = /^[^\p{C}\p{Zl}\p{Zp}]+$/u;
/** Emoji and some scripts need the joiners. */
const lineWithJoiners = /^(?:[^\p{C}\p{Zl}\p{Zp}]|\u200C|\u200D)+$/u;

/** A character with a shape of its own. U+2800, the blank Braille pattern, is a symbol for Unicode. */
export const shows = /[^\p{M}\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * Returns a name as typed by a person, trimmed and in NFC: one line of 1 to 64 code points, at least one of which
 * shows. `what` opens the sentence of a refusal.
 * @returns {Refusal} `invalid_text`
 */
export function normalizedName(
  typed: string,
  what: string,
  { joiners = false }: { readonly joiners?: boolean } = {},
): string | Refusal {
  const normalized = normalizeText(typed.trim(), MAX_CODE_POINTS);
  if ('fault' in normalized)
    return new Refusal('invalid_text', `${what} ${normalized.fault}; choose a shorter one.`);
  const name = normalized.text;
  const isLine = (joiners ? lineWithJoiners : line).test(name) && Array.from(name).length <= MAX_CODE_POINTS;
  if (!isLine || !shows.test(name))
    return new Refusal('invalid_text', `${what} must be one line of 1 to 64 visible characters.`);
  return name;
}
