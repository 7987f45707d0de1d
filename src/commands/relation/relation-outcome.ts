import type { RelationKind } from '../../domain/relation/events.js';
import type { RelationState } from '../../domain/relation/relation-state.js';

/**
 * A follow or a like, active or ended. `generation`: number of times it was established, decimal. `createdAt`: Unix
 * milliseconds.
 */
export interface Relation {
  readonly kind: RelationKind;
  readonly actorId: string;
  readonly targetId: string;
  readonly targetActorId: string;
  readonly generation: string;
  readonly createdAt: number;
}

export interface RelationOutcome {
  readonly relation: Relation | null;
  readonly position: bigint;
}

export function relationOf(
  identity: Pick<Relation, 'kind' | 'actorId' | 'targetId' | 'targetActorId'>,
  { generation, at }: RelationState,
): Relation {
  return { ...identity, generation: String(generation), createdAt: at };
}
