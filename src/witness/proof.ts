import type { Recorded } from '../log/recorded.js';
import type { RestrictionEvent } from '../log/restrictions.js';
import { restrictionHash } from './canonical.js';
import type { Proof } from './witness.js';

/** What an event of the log proves to the witness. */
export function proofOf({ stream, event, metadata, position }: Recorded<RestrictionEvent>): Proof {
  return { hash: restrictionHash({ stream, event, metadata }), position };
}
