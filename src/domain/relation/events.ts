import type { DomainEvent, EventTime } from '../event.js';

export type RelationKind = 'follow' | 'like';

/**
 * `targetId`: the liked post or the followed actor. `targetActorId`: the author or the followed actor. `generation`:
 * number of times it was established, from 1.
 */
interface RelationData {
  readonly kind: RelationKind;
  readonly actorId: string;
  readonly targetId: string;
  readonly targetActorId: string;
  readonly generation: number;
}

export type RelationEstablished = DomainEvent<'relation.established', RelationData & EventTime>;

export type RelationEnded = DomainEvent<
  'relation.ended',
  RelationData & { readonly cause: 'actor' | 'block' } & EventTime
>;

export type RelationEvent = RelationEstablished | RelationEnded;
