/** A follow or like in the caller's view. `targetId`: the liked post or the followed actor. */
export interface RelationInView {
  readonly kind: 'follow' | 'like';
  readonly actorId: string;
  readonly targetId: string;
  readonly targetActorId: string;
  readonly generation: string;
}
