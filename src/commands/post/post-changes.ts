import type { PostEvent } from '../../domain/post/events.js';
import { evolvePost, noPost } from '../../domain/post/post.js';
import type { Post, PostChange } from '../../domain/post/post.js';
import { Refusal } from '../../domain/refusal.js';
import type { Decision } from '../../domain/refusal.js';
import { EventLog } from '../../log/event-log.js';
import { payloadDigest } from '../../log/encryption.js';
import { streams } from '../../log/streams.js';
import { KeyVault } from '../../log/vault/key-vault.js';
import { Clock, IdGenerator } from '../support/ambient.js';
import { handleIdempotentCommand } from '../support/handle-idempotent-command.js';
import type { Intent } from '../support/intent.js';
import { outcomeOf, postIn } from './post-outcome.js';
import type { PostOutcome } from './post-outcome.js';
import { InteractionPolicy } from '../support/interaction-policy.js';

/** A change of one post. */
export interface Change {
  readonly intent: Intent;
  readonly postId: string;
  /** Of the post, that the change is made from. */
  readonly revision: number;
  /** All else that was sent, the verb with it. */
  readonly payload: object;
  /** As in {@link handleIdempotentCommand}. */
  readonly isLimited?: boolean;
  /** `isVisible`: whether the caller may see what the post's author publishes. */
  readonly decide: (post: Post, change: PostChange, isVisible: boolean) => Decision<PostEvent>;
}

/** What editing and deleting a post have in common. */
export class PostChanges {
  constructor(
    private readonly log: EventLog,
    private readonly vault: KeyVault,
    private readonly facts: InteractionPolicy,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** @throws {Refusal} and whatever log and vault throw. */
  async make({ intent, postId, revision, payload, isLimited = false, decide }: Change): Promise<PostOutcome> {
    const { actorId } = intent;
    const [key, isVisible] = await Promise.all([
      this.vault.keyOf(actorId),
      this.isVisibleTo(actorId, postId),
    ]);
    const change = { actorId, revision, at: this.clock.now() };
    const { state, newest, position } = await handleIdempotentCommand<Post, PostEvent>(this.log, this.ids, {
      stream: streams.post(postId),
      initial: noPost,
      evolve: evolvePost,
      intent,
      payloadHash: payloadDigest(key, { ...payload, revision }),
      // A creation addresses no post, so that the same intentId may name a change of what came of it.
      filter: ({ type }) => type !== 'post.created',
      isLimited,
      decide: (post) => decide(post, change, isVisible),
    });
    const post = outcomeOf(state, newest);
    if (!post) throw new Refusal('post_unavailable', 'There is no such post for you.');
    return { post, position };
  }

  /** Who has written a post never changes, so that its first event tells. */
  private async isVisibleTo(actorId: string, postId: string): Promise<boolean> {
    const post = postIn(await this.log.read(streams.post(postId), { limit: 1 }));
    return post.status !== 'absent' && (await this.facts.mayInteract(actorId, post.authorActorId));
  }
}
