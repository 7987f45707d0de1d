import { outstandingSql } from '../../../../projections/outstanding.sql.js';
import { publicationStateSql } from '../../../../projections/incarnations/recovery-state.js';
import { scopeOf } from '../../../../projections/runner/read-query.js';
import { asCaller, isPostVisible } from '../../../../projections/visibility.sql.js';
import { GroupedRuns } from '../../../base/support/grouped-runs.js';
import { ShownPosts } from '../../../commands/post/shown-posts.js';
import type { ShownPost } from '../../../commands/post/shown-posts.js';
import { HttpRefusal } from '../../../server/errors.js';
import type { PublishedStatements } from './published-statements.js';
import { isStoreUnavailable } from './admit-read.js';

interface Asked {
  readonly actorId: string;
  readonly postId: string;
}

interface Row {
  readonly incarnation: string | null;
  readonly author_actor_id: string | null;
  readonly root_id: string | null;
}

/** Looks posts up in the published read models. Those who ask during a statement share the next one. */
export class PublishedPosts extends ShownPosts {
  private readonly found = new GroupedRuns((asked: readonly Asked[]) => this.findAll(asked));

  constructor(private readonly statements: PublishedStatements) {
    super();
  }

  find(actorId: string, postId: string): Promise<ShownPost | undefined> {
    return this.found.run({ actorId, postId });
  }

  private async findAll(asked: readonly Asked[]): Promise<readonly (ShownPost | undefined)[]> {
    const rows = await this.statements
      .run<Row>({
        name: 'shown-posts',
        text: shownPostsSql,
        values: () => [asked.map(({ actorId }) => actorId), asked.map(({ postId }) => postId)],
      })
      .catch((error: unknown) => {
        if (error instanceof HttpRefusal || isStoreUnavailable(error)) return [];
        throw error;
      });
    return asked.map(({ postId }, index) => {
      const { author_actor_id: authorActorId = null, root_id: rootId } = rows[index] ?? {};
      return authorActorId === null ? undefined : { id: postId, authorActorId, rootId: rootId ?? postId };
    });
  }
}

/**
 * A row for each actor of `$1` and post of `$2` (both text[]), in their order. Finds nothing while an outstanding
 * restriction has a subject that this release does not know.
 */
function shownPostsSql(schemaName: string): string {
  const { schema } = scopeOf(schemaName, 0);
  const asked = 'SELECT * FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked(actor_id, post_id, n)';
  return `
  WITH state AS MATERIALIZED (
    SELECT published.incarnation, published.status, outstanding.hidden, outstanding.unknown_position
    FROM (${publicationStateSql}) published CROSS JOIN (${outstandingSql(schema)}) outstanding
  )
  SELECT state.incarnation, shown.author_actor_id, shown.root_id
  FROM (${asCaller(schema, asked)}) caller
  LEFT JOIN state ON true
  LEFT JOIN LATERAL (
    SELECT post.author_actor_id, post.root_id FROM ${schema}.post
    WHERE post.id = caller.post_id AND state.status = 'serving' AND state.unknown_position IS NULL
      AND ${isPostVisible(schema, 'post')}
    OFFSET 0) shown ON true
  ORDER BY caller.n`;
}
