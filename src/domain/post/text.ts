import { Refusal } from '../refusal.js';
import { normalizeText } from '../unicode.js';

const MAX_CODE_POINTS = 2_000;
// oxlint-disable-next-line no-control-regex -- all of Cc except tab and line feed
const controlCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** Returns the text in NFC, trimmed: 1 to 2,000 code points, no control characters, no lone surrogates. */
export function postText(input: string): string | Refusal {
  const trimmed = input.trim();
  if (!trimmed.isWellFormed())
    return new Refusal('invalid_text', 'text has half a surrogate pair; send well-formed Unicode.');
  if (controlCharacters.test(input))
    return new Refusal('invalid_text', 'text has a control character; only tab and line feed are allowed.');
  if (trimmed === '')
    return new Refusal('invalid_text', 'text is empty; send at least one character other than white space.');
  const normalized = normalizeText(trimmed, MAX_CODE_POINTS);
  if ('fault' in normalized) return new Refusal('invalid_text', `text ${normalized.fault}; send less.`);
  const { text } = normalized;
  const length = Array.from(text).length;
  if (length > MAX_CODE_POINTS)
    return new Refusal('invalid_text', `text has ${length} code points; send at most ${MAX_CODE_POINTS}.`);
  return text;
}
