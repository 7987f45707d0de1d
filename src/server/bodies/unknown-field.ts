import { plainLine } from '../../base/support/plain-text.js';
import { HttpRefusal } from '../errors.js';

/** Longer than every name that is known. */
const LONGEST_SHOWN = 64;

/** Names the fields of a body that its operation does not accept. */
export function unknownField(names: readonly string[]): HttpRefusal {
  const named = names.join(', ');
  const shown = named.length > LONGEST_SHOWN ? `${named.slice(0, LONGEST_SHOWN)}\u2026` : named;
  return new HttpRefusal('unknown_or_immutable_field', `Unknown field: ${plainLine(shown)}.`);
}
