import type { RelationKind } from '../../domain/relation/events.js';
import type { Tie } from '../../domain/relation/tie.js';

/** A follow or a like at its newest generation, whether or not it still stands. `createdAt`: Unix milliseconds. */
export interface Relation {
  readonly kind: RelationKind;
  readonly actorId: string;
  readonly targetId: string;
  readonly targetActorId: string;
  /** Decimal. */
  readonly generation: string;
  readonly createdAt: number;
}

/** What a mutation made of a relation, and the position in the log from which readers see it. Null: there never was one. */
export interface RelationOutcome {
  readonly relation: Relation | null;
  readonly position: bigint;
}

export function relationOf(
  ends: Pick<Relation, 'kind' | 'actorId' | 'targetId' | 'targetActorId'>,
  { generation, at }: Tie,
): Relation {
  return { ...ends, generation: String(generation), createdAt: at };
}
