import type { Recorded } from '../recorded.js';
import type { RestrictionEvent } from '../restrictions.js';
import { restrictionHash } from './canonical.js';
import type { AppendProof } from './witness.js';

export function proofOf({ stream, event, metadata, position }: Recorded<RestrictionEvent>): AppendProof {
  return { hash: restrictionHash({ stream, event, metadata }), position };
}
