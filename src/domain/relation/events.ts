import type { DomainEvent, Occurrence } from '../event.js';

export type RelationKind = 'follow' | 'like';

/** What stands between an actor and a target: of a like the post and its author, of a follow both the followed actor. */
interface Tie {
  readonly kind: RelationKind;
  readonly actorId: string;
  readonly targetId: string;
  readonly targetActorId: string;
  /** The how-manieth time it was established, from 1. */
  readonly generation: number;
}

export type RelationEstablished = DomainEvent<'relation.established', Tie & Occurrence>;

/** By the actor's own act, or because one of the two has blocked the other. */
export type RelationEnded = DomainEvent<
  'relation.ended',
  Tie & { readonly cause: 'actor' | 'block' } & Occurrence
>;

export type RelationEvent = RelationEstablished | RelationEnded;
