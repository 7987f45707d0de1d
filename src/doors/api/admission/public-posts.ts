import { publicTexts, publicVersions } from '../../../../projections/posts/posts.read-model.js';
import type { PublicVersion } from '../../../../projections/posts/posts.read-model.js';
import { noSurroundings, surroundings } from '../../../../projections/posts/surroundings.read-model.js';
import type { Surroundings } from '../../../../projections/posts/surroundings.read-model.js';
import type { ReadQuery } from '../../../../projections/runner/read-query.js';
import type { Clock } from '../../../base/support/clock.js';
import type { PublishedStatements } from './published-statements.js';
import { readAsAnybody } from './read-as-anybody.js';
import type { AnybodysReads } from './read-as-anybody.js';
import type { RestrictionProof } from './restriction-proof.js';

/** For operators: the posts that anybody can read now, by the admission and rules of an anonymous read. */
export class PublicPosts {
  private readonly reads: AnybodysReads;

  constructor(statements: PublishedStatements, clock: Clock, proof: RestrictionProof) {
    this.reads = { statements, clock, proof };
  }

  versionsOf(postIds: readonly string[]): Promise<ReadonlyMap<string, PublicVersion>> {
    return this.byId(publicVersions, postIds);
  }

  textsOf(postIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.byId(publicTexts, postIds);
  }

  /** The thread above a post, and so many other posts of its author. */
  async around(authorActorId: string, postId: string | undefined, limit: number): Promise<Surroundings> {
    return (
      (await readAsAnybody(this.reads, surroundings, { authorActorId, postId, limit })) ?? noSurroundings
    );
  }

  /** By post id. Empty while the network refuses reads: nobody can read a post then. */
  private async byId<Value>(
    query: ReadQuery<{ readonly postIds: readonly string[] }, ReadonlyMap<string, Value>>,
    postIds: readonly string[],
  ): Promise<ReadonlyMap<string, Value>> {
    const none = new Map<string, Value>();
    return postIds.length === 0 ? none : ((await readAsAnybody(this.reads, query, { postIds })) ?? none);
  }
}
