/** A follow or a like, as a view of the network has it. Of a like, `targetId` is the post. */
export interface RelationInView {
  readonly kind: 'follow' | 'like';
  readonly actorId: string;
  readonly targetId: string;
  readonly targetActorId: string;
  readonly generation: string;
}
