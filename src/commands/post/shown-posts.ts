export interface ShownPost {
  readonly id: string;
  readonly authorActorId: string;
  readonly rootId: string;
}

/**
 * Posts that the read models show to an actor, with all restrictions that were acknowledged before the call. Such a post
 * is proven to be published and open to the actor; of one that is not found nothing is known, since the read models lag
 * behind the log (docs/adr/0038).
 */
export abstract class ShownPosts {
  abstract find(actorId: string, postId: string): Promise<ShownPost | undefined>;
}
