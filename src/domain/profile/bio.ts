import { Refusal } from '../refusal.js';
import { normalizeText } from '../unicode.js';

const MAX_CODE_POINTS = 500;
const bioPattern = /^(?:[^\p{Cc}\p{Cs}]|\n){0,500}$/u;

export function normalizedBio(typed: string): string | Refusal {
  const normalized = normalizeText(typed.trim(), MAX_CODE_POINTS);
  if ('fault' in normalized)
    return new Refusal('invalid_text', `This bio ${normalized.fault}; choose a shorter one.`);
  if (bioPattern.test(normalized.text)) return normalized.text;
  return new Refusal(
    'invalid_text',
    'A bio has up to 500 code points, and no control characters but the line feed.',
  );
}
