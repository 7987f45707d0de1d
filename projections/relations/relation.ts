/** `targetId`: the post of a like, or the followed actor. */
export interface RelationInView {
  readonly kind: 'follow' | 'like';
  readonly actorId: string;
  readonly targetId: string;
  readonly targetActorId: string;
  readonly generation: string;
}
