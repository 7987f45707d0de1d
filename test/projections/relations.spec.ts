import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { actorById } from '../../projections/profile/profile.read-model.js';
import { followersOf, followingOf, ownRelations } from '../../projections/relations/relations.read-model.js';
import type { PageArgs, PageQuery } from '../../projections/runner/page-query.js';
import type { StoredEvent } from '../../src/log/registry.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';

describe('the relations read model', () => {
  let postgres: TestPostgres;
  let database: string;
  let models: ReadModels;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    database = await postgres.createDatabase();
  });
  afterAll(() => postgres.stop());
  beforeEach(async () => {
    models = await ReadModels.open(database);
    await models.given(...['ada', 'bob', 'cleo', 'dan', 'eve'].map((actorId) => some.account(actorId)));
  });
  afterEach(() => models.close());

  const firstPage: PageArgs = { scan: 10, after: undefined };
  const own = (as = 'ada', page: Partial<PageArgs> = {}) =>
    models.ask(ownRelations, { ...firstPage, ...page }, as);
  const list = async (
    query: PageQuery<{ actorId: string }, { actorId: string }>,
    { as = null, ...page }: Partial<PageArgs> & { as?: string | null } = {},
  ) => {
    const scanned = await models.ask(query, { actorId: 'ada', ...firstPage, ...page }, as);
    return scanned && { actors: scanned.items.map(({ item }) => item.actorId), last: scanned.last };
  };

  describe('of the caller', () => {
    test('have exactly the published fields, follows and likes together, newest first [relations-own, relation-generation, relation-created-at]', async () => {
      await models.given(some.post('p1', { authorActorId: 'bob' }));
      await models.given(some.like('ada', 'p1', { targetActorId: 'bob', at: 70, generation: 3 }));
      const position = await models.given(some.follow('ada', 'bob', { at: 77 }));
      const page = await own();
      expect(page?.items).toEqual([
        {
          key: [position, 77n, position],
          item: {
            kind: 'follow',
            actorId: 'ada',
            targetId: 'bob',
            targetActorId: 'bob',
            generation: '1',
            createdAt: 77,
          },
        },
        {
          key: [position, 70n, expect.any(BigInt)],
          item: {
            kind: 'like',
            actorId: 'ada',
            targetId: 'p1',
            targetActorId: 'bob',
            generation: '3',
            createdAt: 70,
          },
        },
      ]);
      expect(page?.last).toBeNull();
    });

    test('include none of other actors', async () => {
      await models.given(some.follow('bob', 'ada'), some.follow('bob', 'cleo'));
      expect(await own()).toEqual({ items: [], last: null });
    });

    test.each([
      ['the followed actor is suspended', some.suspension('bob')],
      ['the followed actor has blocked the caller', some.block('bob', 'ada')],
      ['the caller has blocked the followed actor', some.block('ada', 'bob')],
    ])('omit a follow and a like where %s', async (_why, event) => {
      await models.given(some.post('p1', { authorActorId: 'bob' }), some.follow('ada', 'bob'));
      await models.given(some.like('ada', 'p1', { targetActorId: 'bob' }), event);
      expect(await own()).toEqual({ items: [], last: null });
    });

    test('omit a like of a deleted post', async () => {
      await models.given(some.post('p1', { authorActorId: 'bob' }));
      await models.given(some.like('ada', 'p1', { targetActorId: 'bob' }));
      await models.given(some.deletion('p1', { authorActorId: 'bob' }));
      expect((await own())?.items).toEqual([]);
    });

    test('omit an ended one, and show its next generation', async () => {
      await models.given(some.follow('ada', 'bob'), some.unfollow('ada', 'bob'));
      expect((await own())?.items).toEqual([]);
      await models.given(some.follow('ada', 'bob', { generation: 2, at: 9_000 }));
      expect((await own())?.items).toMatchObject([{ item: { generation: '2', createdAt: 9_000 } }]);
    });
  });

  describe.each([
    [
      'following',
      followingOf,
      (target: string, at?: number) => some.follow('ada', target, { at: at ?? 2_000 }),
    ],
    [
      'followers',
      followersOf,
      (other: string, at?: number) => some.follow(other, 'ada', { at: at ?? 2_000 }),
    ],
  ] as const)('%s', (_name, query, follow) => {
    test('show actors with handle and name, and an empty handle for none [actor-summary]', async () => {
      await models.given(follow('bob'), some.profileChange('bob', { handle: null, displayName: 'B' }));
      const page = await models.ask(query, { actorId: 'ada', ...firstPage });
      expect(page?.items.map(({ item }) => item)).toEqual([{ actorId: 'bob', handle: '', displayName: 'B' }]);
    });

    test('come newest first by their time, and by their position at the same time [following-order]', async () => {
      await models.given(follow('bob', 5), follow('cleo', 9), follow('dan', 5), follow('eve', 7));
      expect(await list(query)).toEqual({ actors: ['cleo', 'eve', 'dan', 'bob'], last: null });
    });

    test('come a page at a time as of the first page, whatever clocks say', async () => {
      await models.given(follow('bob', 5), follow('cleo', 6));
      const first = await list(query, { scan: 1 });
      expect(first).toEqual({ actors: ['cleo'], last: expect.any(Array) });
      await models.given(follow('dan', 1), follow('eve', 99));
      expect(await list(query, { after: first?.last ?? undefined })).toEqual({ actors: ['bob'], last: null });
      expect((await list(query))?.actors).toEqual(['eve', 'cleo', 'bob', 'dan']);
    });

    test.each([
      ['is suspended', some.suspension('cleo')],
      ['has blocked the reader', some.block('cleo', 'eve')],
      ['is blocked by the reader', some.block('eve', 'cleo')],
    ])('omit an actor who %s, who counts for the page', async (_why, event) => {
      await models.given(follow('bob', 5), follow('cleo', 6), event);
      const first = await list(query, { scan: 1, as: 'eve' });
      expect(first).toEqual({ actors: [], last: expect.any(Array) });
      const second = await list(query, { after: first?.last ?? undefined, as: 'eve' });
      expect(second).toEqual({ actors: ['bob'], last: null });
    });

    test.each([
      ['does not exist', 'nobody', some.suspension('dan')],
      ['is suspended', 'ada', some.suspension('ada')],
      ['has blocked the reader', 'ada', some.block('ada', 'eve')],
      ['is blocked by the reader', 'ada', some.block('eve', 'ada')],
    ])('are null for an actor who %s', async (_why, actorId, event) => {
      await models.given(follow('bob'), event);
      expect(await models.ask(query, { actorId, ...firstPage }, 'eve')).toBeNull();
    });

    test('contain no likes', async () => {
      await models.given(some.post('p1'), some.like('ada', 'p1'), some.like('bob', 'p1'));
      expect((await list(query))?.actors).toEqual([]);
    });
  });

  test('survive a second end of their previous generation', async () => {
    await models.given(some.follow('ada', 'bob', { generation: 2 }), some.unfollow('ada', 'bob'));
    expect((await own())?.items).toMatchObject([{ item: { generation: '2' } }]);
  });

  test('counts follows in both directions, each once, and no likes', async () => {
    await models.given(some.follow('ada', 'bob'), some.follow('cleo', 'ada'), some.follow('dan', 'ada'));
    await models.given(some.unfollow('dan', 'ada'), some.post('p1'), some.like('bob', 'p1'));
    expect(await models.ask(actorById, { actorId: 'ada' })).toMatchObject({ following: 1, followers: 1 });
  });

  describe('while somebody is suspended', () => {
    const counts = async (actorId: string) => {
      const { following, followers } = (await models.ask(actorById, { actorId })) ?? {};
      return [following, followers];
    };
    const mutual = [some.follow('ada', 'bob'), some.follow('bob', 'ada'), some.follow('bob', 'cleo')];

    test('follows in both directions are not counted until the reinstatement', async () => {
      await models.given(...mutual, some.suspension('ada'));
      expect(await counts('bob')).toEqual([1, 0]);
      await models.given(some.suspension('bob'), some.reinstatement('ada'));
      expect([await counts('ada'), await counts('cleo')]).toEqual([
        [0, 0],
        [0, 0],
      ]);
      await models.given(some.reinstatement('bob'));
      expect([await counts('ada'), await counts('bob'), await counts('cleo')]).toEqual([
        [1, 1],
        [2, 1],
        [0, 1],
      ]);
    });

    test('follows that end meanwhile are not counted afterwards, and new ones are', async () => {
      await models.given(...mutual, some.suspension('ada'), some.unfollow('bob', 'ada'));
      await models.given(some.follow('dan', 'ada'), some.erasure('cleo'));
      expect([await counts('bob'), await counts('dan')]).toEqual([
        [0, 0],
        [0, 0],
      ]);
      await models.given(some.reinstatement('ada'));
      expect([await counts('ada'), await counts('bob'), await counts('dan')]).toEqual([
        [1, 1],
        [0, 1],
        [1, 0],
      ]);
    });

    test('an erasure also removes hidden counts', async () => {
      await models.given(...mutual, some.suspension('ada'), some.erasure('ada'));
      expect(await counts('bob')).toEqual([1, 0]);
      await models.settle();
      expect(await counts('bob')).toEqual([1, 0]);
      expect(await models.count('relation_count', 'hidden_following <> 0 OR hidden_followers <> 0')).toBe(0);
    });

    describe('with many followers', () => {
      const fans = Array.from({ length: 250 }, (_, n) => `fan${n}`);
      const [first = '', second = '', third = ''] = fans;
      const last = fans.at(-1) ?? '';

      beforeEach(() =>
        models.givenInOneBatch(
          ...fans.flatMap((fan) => [some.account(fan), some.follow(fan, 'ada'), some.follow('ada', fan)]),
          some.follow('bob', last),
        ),
      );

      const followCounts = async () => [await counts(first), await counts('fan130'), await counts(last)];
      const [shown, hidden] = [
        [
          [1, 1],
          [1, 1],
          [1, 2],
        ],
        [
          [0, 0],
          [0, 0],
          [0, 1],
        ],
      ];
      const isHiddenAnywhere = () =>
        models.count('relation_count', 'hidden_following <> 0 OR hidden_followers <> 0');

      test('every count is right while the follows are hidden, shown again and removed', async () => {
        for (const [event, expected] of [
          [some.suspension('ada'), hidden],
          [some.reinstatement('ada'), shown],
          [some.erasure('ada'), hidden],
        ] as const) {
          await models.given(event);
          for (let step = 0; step < 8; step++) {
            expect(await followCounts()).toEqual(expected);
            await models.settle(1);
          }
          await models.settle();
          expect(await followCounts()).toEqual(expected);
        }
        expect([await isHiddenAnywhere(), await models.count('relation', 'true')]).toEqual([0, 1]);
      });

      test('a change, a follow and the end of one in the middle are counted', async () => {
        await models.given(some.suspension('ada'));
        await models.settle(2);
        await models.given(
          some.unfollow(second, 'ada'),
          some.unfollow('ada', last),
          some.follow(second, last),
        );
        expect(await followCounts()).toEqual([
          [0, 0],
          [0, 0],
          [0, 2],
        ]);
        await models.given(some.reinstatement('ada'));
        await models.settle(1);
        await models.given(some.follow(third, 'fan130'), some.follow('ada', last, { generation: 2 }));
        expect(await followCounts()).toEqual([
          [1, 1],
          [1, 2],
          [1, 3],
        ]);
        expect([await counts(second), await counts('ada')]).toEqual([
          [1, 1],
          [250, 249],
        ]);
        await models.settle();
        expect(await followCounts()).toEqual([
          [1, 1],
          [1, 2],
          [1, 3],
        ]);
        expect(await isHiddenAnywhere()).toBe(0);
        await models.given(some.suspension('ada'));
        await models.settle(1);
        await models.given(some.erasure('ada'));
        expect(await followCounts()).toEqual([
          [0, 0],
          [0, 1],
          [0, 2],
        ]);
        await models.settle();
        expect(await followCounts()).toEqual([
          [0, 0],
          [0, 1],
          [0, 2],
        ]);
        expect([await isHiddenAnywhere(), await models.count('relation', 'true')]).toEqual([0, 3]);
      });
    });

    test('one batch counts like single events, wherever the suspension is', async () => {
      const story = [...mutual, some.unfollow('ada', 'bob'), some.follow('ada', 'bob', { generation: 2 })];
      const stored = async (from: number, to: number, at: 'once' | 'one by one') => {
        const each = await ReadModels.open(database);
        await each.given(...['ada', 'bob', 'cleo'].map((actorId) => some.account(actorId)));
        const events: StoredEvent[] = [...story];
        events.splice(to, 0, some.reinstatement('ada'));
        events.splice(from, 0, some.suspension('ada'));
        if (at === 'once') await each.givenInOneBatch(...events, some.suspension('bob'));
        else await each.given(...events, some.suspension('bob'));
        const shown = () =>
          Promise.all(
            ['ada', 'cleo'].map(async (actorId) => {
              const actor = await each.ask(actorById, { actorId }, null);
              return [actor?.following, actor?.followers];
            }),
          );
        const before = await shown();
        await each.settle();
        expect(await shown()).toEqual(before);
        await each.close();
        return before;
      };
      for (let from = 0; from <= story.length; from++)
        for (let to = from; to <= story.length; to++)
          expect([from, to, await stored(from, to, 'once')]).toEqual([
            from,
            to,
            await stored(from, to, 'one by one'),
          ]);
    });
  });

  test.each([
    ['a follow that ends', [some.follow('ada', 'bob'), some.unfollow('ada', 'bob')], []],
    [
      'a follow that ends and begins again',
      [some.follow('ada', 'bob'), some.unfollow('ada', 'bob'), some.follow('ada', 'bob', { generation: 2 })],
      ['2'],
    ],
    [
      'a late end of the previous generation',
      [some.unfollow('ada', 'bob'), some.follow('ada', 'bob', { generation: 2 })],
      ['2'],
    ],
  ])('one batch gives the same result as single events: %s', async (_name, events, generations) => {
    await models.givenInOneBatch(...events);
    expect((await own())?.items.map(({ item }) => item.generation)).toEqual(generations);
    expect(await models.ask(actorById, { actorId: 'bob' })).toMatchObject({ followers: generations.length });
  });
});
