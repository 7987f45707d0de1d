import { randomUUID } from 'node:crypto';
import type { EventMetadata } from '../../../src/log/recorded.js';
import type { Restriction } from '../../../src/log/witness/witness.js';

/** The deletion of a post by its author, with a new id unless one is given. */
export function deletionOf(
  postId: string,
  { id = randomUUID(), ...metadata }: { id?: string } & Partial<EventMetadata> = {},
): Restriction {
  return {
    id,
    stream: `post-${postId}`,
    event: { type: 'post.deleted', data: { postId, authorActorId: 'ada', at: 1 } },
    metadata: { requestId: randomUUID(), actorId: 'ada', intentId: `delete-${postId}`, ...metadata },
  };
}
