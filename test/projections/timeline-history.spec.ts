import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { servingWith } from '../../projections/groups.js';
import type { Keyset } from '../../projections/runner/page-query.js';
import { timelineOf } from '../../projections/timeline/timeline.read-model.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';

const actors = ['ada', 'bob', 'eve', 'joe'] as const;

type Act =
  | { readonly does: 'post'; readonly by: string }
  | { readonly does: 'delete'; readonly of: number }
  | { readonly does: 'like again'; readonly by: string }
  | { readonly does: 'follow' | 'unfollow'; readonly by: string; readonly whom: string };

const actor = fc.constantFrom(...actors);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('post' as const), by: actor }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete' as const), of: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('like again' as const), by: actor }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constantFrom('follow' as const, 'follow' as const, 'unfollow' as const),
      by: actor,
      whom: actor,
    }),
  },
);
const batches = fc.array(fc.array(act, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 });

/** The simplest definition of a timeline. */
class Model {
  private readonly posts: { readonly id: string; readonly by: string; isDeleted: boolean }[] = [];
  private readonly relations = new Map<string, { generation: number; stands: boolean }>();
  private likes = 0;

  timelineOf(actorId: string): readonly string[] {
    return this.posts
      .filter(({ by, isDeleted }) => !isDeleted && (by === actorId || this.follows(actorId, by)))
      .map(({ id }) => id)
      .toReversed();
  }

  /** The events that the domain would append: none for an act without effect. */
  eventsOf(act: Act): readonly StoredEvent[] {
    switch (act.does) {
      case 'post': {
        const id = `p${this.posts.length}`;
        this.posts.push({ id, by: act.by, isDeleted: false });
        return [some.post(id, { authorActorId: act.by })];
      }
      case 'delete': {
        const post = this.posts[act.of];
        if (!post || post.isDeleted) return [];
        post.isDeleted = true;
        return [some.deletion(post.id, { authorActorId: post.by })];
      }
      case 'like again': {
        // Splits the writes of relations into several calls, which timeline writes must not overtake.
        const postId = `liked${this.likes++}`;
        return [
          some.like(act.by, postId),
          some.unlike(act.by, postId),
          some.like(act.by, postId, { generation: 2 }),
        ];
      }
      case 'follow':
      case 'unfollow':
        return this.tie(act.by, act.whom, act.does === 'follow');
    }
  }

  private follows(actorId: string, whom: string): boolean {
    return this.relations.get(`${actorId} ${whom}`)?.stands ?? false;
  }

  private tie(by: string, whom: string, stands: boolean): readonly StoredEvent[] {
    const tie = this.relations.get(`${by} ${whom}`) ?? { generation: 0, stands: false };
    if (by === whom || tie.stands === stands) return [];
    const generation = tie.generation + (stands ? 1 : 0);
    this.relations.set(`${by} ${whom}`, { generation, stands });
    return [stands ? some.follow(by, whom, { generation }) : some.unfollow(by, whom, { generation })];
  }
}

describe('the timeline, after any history', () => {
  let postgres: TestPostgres;
  let database: string;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    database = await postgres.createDatabase();
  });
  afterAll(() => postgres.stop());

  async function pagesOf(models: ReadModels, actorId: string): Promise<readonly string[]> {
    const seen: string[] = [];
    for (let after: Keyset | undefined; ;) {
      const page = await models.ask(timelineOf, { scan: 3, after }, actorId);
      seen.push(...(page?.items.map(({ item }) => item.id) ?? []));
      if (!page?.last) return seen;
      after = page.last;
    }
  }

  test.each([
    { fanOutThreshold: 0 },
    { fanOutThreshold: 1 },
    { fanOutThreshold: 500 },
    { fanOutThreshold: 500, kept: 2, copied: 1 },
    { fanOutThreshold: 1, kept: 4, copied: 2 },
  ])('equals the posts of currently followed actors, with timelines of %j', async (settings) => {
    await fc.assert(
      fc.asyncProperty(batches, async (history) => {
        const models = await ReadModels.open(database, servingWith(settings));
        const model = new Model();
        try {
          for (const batch of history) {
            await models.givenInOneBatchOnce(...batch.flatMap((each) => model.eventsOf(each)));
            for (const actorId of actors)
              expect(await pagesOf(models, actorId)).toEqual(model.timelineOf(actorId));
          }
        } finally {
          await models.close();
        }
      }),
      { numRuns: 25 },
    );
  });
});
