import { z } from 'zod';
import { clear, event, id, pseudonym } from '../event.js';
import type { EventIn } from '../event.js';

export type RelationKind = RelationEvent['data']['kind'];

/**
 * `targetId`: the liked post or the followed actor. `targetActorId`: the author or the followed actor. `generation`:
 * number of times it was established, from 1.
 */
const relation = {
  kind: clear(z.enum(['follow', 'like'])),
  actorId: pseudonym(id),
  targetId: pseudonym(id),
  targetActorId: pseudonym(id),
  generation: clear(z.int().positive()),
};

export const relationEvents = {
  'relation.established': event(relation),
  'relation.ended': event({ ...relation, cause: clear(z.enum(['actor', 'block'])) }),
};

export type RelationEstablished = EventIn<typeof relationEvents, 'relation.established'>;
export type RelationEnded = EventIn<typeof relationEvents, 'relation.ended'>;
export type RelationEvent = EventIn<typeof relationEvents>;
