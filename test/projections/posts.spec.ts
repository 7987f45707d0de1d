import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { repliesOf } from '../../projections/posts/posts.read-model.js';
import { reconcile } from '../../projections/reconcile/reconcile.read-model.js';
import type { Post } from '../../projections/posts/post.js';
import type { PageArgs, ScannedPage } from '../../projections/runner/page-query.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';

const reply = (postId: string, data: Parameters<typeof some.post>[1] = {}) =>
  some.post(postId, { parentId: 'p1', rootId: 'p1', ...data });

const idsOf = (page: ScannedPage<Post> | null) => page?.items.map(({ item }) => item.id);

describe('the posts read model', () => {
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
    await models.given(some.application('app', { name: 'Reader' }));
  });
  afterEach(() => models.close());

  const repliesTo = (postId: string, page: Partial<PageArgs> = {}, as?: string) =>
    models.ask(repliesOf, { postId, scan: 10, after: undefined, ...page }, as);

  describe('replies', () => {
    test('have exactly the published fields', async () => {
      await models.given(
        some.post('p1'),
        reply('r1', { authorActorId: 'bob', text: 'a "quote"\n☕', at: 77 }),
      );
      expect((await repliesTo('p1'))?.items).toEqual([
        {
          key: [expect.any(BigInt)],
          item: {
            id: 'r1',
            authorActorId: 'bob',
            text: 'a "quote"\n☕',
            audience: 'public',
            revision: 1,
            createdAt: 77,
            originApp: { id: 'app', name: 'Reader' },
            edited: false,
            parentId: 'p1',
            rootId: 'p1',
            parentUnavailable: false,
            rootUnavailable: false,
          },
        },
      ]);
    });

    test('are the direct ones only, oldest first, a page at a time', async () => {
      await models.given(some.post('p1'), reply('r3'), reply('r1'), reply('r2'), reply('r4'));
      await models.given(some.post('rr', { parentId: 'r1', rootId: 'p1' }));
      const first = await repliesTo('p1', { scan: 2 });
      expect(idsOf(first)).toEqual(['r3', 'r1']);
      expect(first?.last).toEqual(first?.items.at(-1)?.key);
      const second = await repliesTo('p1', { scan: 2, after: first?.last ?? undefined });
      expect(idsOf(second)).toEqual(['r2', 'r4']);
      expect(second?.last).toBeNull();
    });

    test('omit deleted ones', async () => {
      await models.given(some.post('p1'), reply('r1'), reply('r2'), some.deletion('r1'));
      expect(idsOf(await repliesTo('p1'))).toEqual(['r2']);
    });

    test('remain when a parent or root is deleted, and report it', async () => {
      await models.given(some.post('p1'), reply('r1'), some.post('rr', { parentId: 'r1', rootId: 'p1' }));
      await models.given(some.deletion('p1'));
      expect(await repliesTo('p1')).toBeNull();
      expect((await repliesTo('r1'))?.items).toMatchObject([
        { item: { id: 'rr', parentUnavailable: false, rootUnavailable: true } },
      ]);
    });

    test('are null for an unknown post', async () => {
      expect(await repliesTo('p1')).toBeNull();
      await models.given(some.post('p1'));
      expect(await repliesTo('p1')).toEqual({ items: [], last: null });
    });

    test.each([
      ['the author has blocked the reader', some.block('bob', 'eve')],
      ['the reader has blocked the author', some.block('eve', 'bob')],
      ['the author is suspended', some.suspension('bob')],
    ])('are omitted where %s, but count for the page', async (_why, event) => {
      await models.given(some.account('bob'), some.post('p1'), reply('r1', { authorActorId: 'bob' }));
      await models.given(reply('r2'), event);
      const page = await repliesTo('p1', { scan: 1 }, 'eve');
      expect(page?.items).toEqual([]);
      expect(idsOf(await repliesTo('p1', { after: page?.last ?? undefined }, 'eve'))).toEqual(['r2']);
    });
  });

  test('a deleted post does not return when its creation is applied again', async () => {
    const created = some.post('p1');
    await models.given(created, some.deletion('p1'), created);
    expect((await models.ask(reconcile, { cursor: undefined })).posts).toEqual([]);
  });

  const [created, deleted] = [some.post('p1'), some.deletion('p1')];
  const others = [some.post('p2'), some.post('q1', { authorActorId: 'bob' }), some.deletion('p2')];
  test.each([
    ['a creation and a deletion', [created, deleted]],
    ['two deletions', [created, deleted, deleted]],
    ['a creation after the deletion', [created, deleted, created]],
    ['a deletion before the creation', [deleted, created, deleted]],
    ['others in between', [created, ...others, deleted, some.post('p3'), created]],
    ['a restriction in between', [created, some.restriction('p1'), deleted]],
    ['a restriction that was lifted', [some.restriction('p1'), created, some.unrestriction('p1'), deleted]],
  ])('one batch gives the same result as single events: %s of one post', async (_name, events) => {
    await models.givenInOneBatch(...events);
    const oneByOne = await ReadModels.open(database);
    await oneByOne.given(some.application('app', { name: 'Reader' }));
    for (const event of events) await oneByOne.given(event);
    expect(await models.digest()).toBe(await oneByOne.digest());
    expect(await models.digest()).toMatch(/"id":"p1".*"status":"deleted".*"revision":1/);
    await oneByOne.close();
  });

  test('a post has the name that its application has now', async () => {
    await models.given(some.post('p1'), reply('r1'), some.applicationChange('app', { name: 'Writer' }));
    expect((await repliesTo('p1'))?.items).toMatchObject([
      { item: { originApp: { id: 'app', name: 'Writer' } } },
    ]);
  });

  describe('a restricted post', () => {
    const visiblePosts = async () =>
      (await models.ask(reconcile, { cursor: undefined })).posts.map(({ id, parentUnavailable }) =>
        parentUnavailable ? `${id} without its parent` : id,
      );
    const actorsWithOnePost = () => models.count('post_count', 'posts = 1');

    test('is hidden from everybody including its author, and returns unchanged', async () => {
      await models.given(some.post('p1'), some.edit('p1'), reply('r1', { authorActorId: 'bob' }));
      const before = await models.ask(reconcile, { cursor: undefined }, 'ada');
      await models.given(some.restriction('p1'));
      expect((await models.ask(reconcile, { cursor: undefined }, 'ada')).ownPosts).toEqual([]);
      expect([await visiblePosts(), await actorsWithOnePost()]).toEqual([['r1 without its parent'], 1]);
      await models.given(some.unrestriction('p1'));
      const after = await models.ask(reconcile, { cursor: undefined }, 'ada');
      expect([after.posts, after.ownPosts, await actorsWithOnePost()]).toEqual([
        before.posts,
        before.ownPosts,
        2,
      ]);
    });

    test('that its author deletes stays deleted, and is subtracted once', async () => {
      await models.given(some.post('p1'), some.post('p2'), some.restriction('p1'), some.deletion('p1'));
      await models.given(some.unrestriction('p1'));
      expect([await visiblePosts(), await actorsWithOnePost()]).toEqual([['p2'], 1]);
      expect(await models.count('post', `text = 'text of p1'`)).toBe(0);
    });

    test('is hidden even if its restriction precedes its creation, as in a recovered log', async () => {
      await models.given(some.restriction('p1'), some.post('p1'));
      expect([await visiblePosts(), await actorsWithOnePost()]).toEqual([[], 0]);
      await models.given(some.unrestriction('p1'));
      expect([await visiblePosts(), await actorsWithOnePost()]).toEqual([['p1'], 1]);
    });
  });

  test('a post of an erased person is hidden', async () => {
    await models.givenOfErasedPerson(some.post('p1', { text: '' }));
    await models.given(reply('r1', { authorActorId: 'bob' }));
    expect((await models.ask(reconcile, { cursor: undefined })).posts).toMatchObject([
      { id: 'r1', parentUnavailable: true },
    ]);
  });

  describe('reconcile', () => {
    test('shows an anonymous caller the newest posts of everybody', async () => {
      await models.given(some.post('p1'), some.post('q1', { authorActorId: 'bob' }), some.post('p2'));
      const position = await models.given(some.deletion('p1'));
      const view = await models.ask(reconcile, { cursor: undefined });
      expect(view.posts.map(({ id }) => id)).toEqual(['p2', 'q1']);
      expect(view).toMatchObject({
        ownPosts: [],
        relations: [],
        inbox: [],
        cursor: Number(position),
        replace: true,
      });
      expect(view.posts[0]).not.toHaveProperty('parentUnavailable');
    });

    test('shows a caller without follows the caller’s own posts', async () => {
      await models.given(some.post('p1'), some.post('q1', { authorActorId: 'bob' }));
      const view = await models.ask(reconcile, { cursor: undefined }, 'bob');
      expect(view.posts.map(({ id }) => id)).toEqual(['q1']);
      expect(view.ownPosts.map(({ id }) => id)).toEqual(['q1']);
    });

    test('returns at most a hundred posts', async () => {
      await models.given(...Array.from({ length: 101 }, (_, index) => some.post(`p${index}`)));
      const view = await models.ask(reconcile, { cursor: undefined }, 'ada');
      expect(view.ownPosts).toHaveLength(100);
      expect(view.ownPosts.at(-1)?.id).toBe('p1');
    });

    test('is empty at position 0', async () => {
      const empty = await ReadModels.open(database);
      expect(await empty.ask(reconcile, { cursor: undefined })).toMatchObject({
        posts: [],
        cursor: 0,
        replace: true,
      });
      await empty.close();
    });
  });
});
