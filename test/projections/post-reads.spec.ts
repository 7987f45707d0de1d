import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { array, asyncProperty, assert, constantFrom } from 'fast-check';
import type { Post } from '../../projections/posts/post.js';
import { postById, postsOf, repliesOf } from '../../projections/posts/posts.read-model.js';
import { actorById } from '../../projections/profile/profile.read-model.js';
import type { PageArgs, ScannedPage } from '../../projections/runner/page-query.js';
import { startTestPostgres } from '../support/postgres.js';
import type { TestPostgres } from '../support/postgres.js';
import { ReadModels } from './support/read-models.js';
import { some } from './support/recorded.js';

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
  await models.given(some.application('app', { name: 'Reader' }), some.account('ada'), some.account('bob'));
});
afterEach(() => models.close());

const post = (postId: string, as?: string) => models.ask(postById, { postId }, as);
const reply = (postId: string, parentId: string, data: Parameters<typeof some.post>[1] = {}) =>
  some.post(postId, { parentId, rootId: 'p1', ...data });
const [edit, deletion] = [some.edit('p1', { appId: 'editor' }), some.deletion('p1')];

describe('a post', () => {
  test('has exactly the published fields', async () => {
    await models.given(some.post('p1'));
    expect(await post('p1')).toEqual({
      id: 'p1',
      authorActorId: 'ada',
      text: 'text of p1',
      audience: 'public',
      revision: 1,
      createdAt: 2_000,
      originApp: { id: 'app', name: 'Reader' },
      edited: false,
    });
  });

  test.each([
    ['was never written', []],
    ['is deleted', [some.post('p1'), deletion]],
    ['a suspended author wrote', [some.post('p1'), some.suspension('ada')]],
    ['an author wrote who blocked the caller', [some.post('p1'), some.block('ada', 'bob')]],
    ['an author wrote whom the caller blocked', [some.post('p1'), some.block('bob', 'ada')]],
  ])('that %s is unavailable', async (_which, events) => {
    await models.given(...events);
    expect(await post('p1', 'bob')).toBeNull();
  });

  test.each([
    ['deletion', [some.deletion('p1')], []],
    ['suspension', [some.suspension('ada')], [some.reinstatement('ada')]],
    ['block', [some.block('ada', 'eve')], [some.unblock('ada', 'eve')]],
  ])(
    'remains after a %s of its parent and root, and reports them unavailable',
    async (_how, going, coming) => {
      await models.given(some.post('p1'), reply('p2', 'p1', { authorActorId: 'bob' }));
      await models.given(reply('p3', 'p2', { authorActorId: 'bob' }));
      const unavailable = async () =>
        Promise.all(
          ['p2', 'p3'].map(async (id) => {
            const { parentUnavailable, rootUnavailable } = (await post(id, 'eve')) ?? {};
            return { parentUnavailable, rootUnavailable };
          }),
        );
      const there = await unavailable();
      expect(there).toEqual([
        { parentUnavailable: false, rootUnavailable: false },
        { parentUnavailable: false, rootUnavailable: false },
      ]);
      await models.given(...going);
      expect(await unavailable()).toEqual([
        { parentUnavailable: true, rootUnavailable: true },
        { parentUnavailable: false, rootUnavailable: true },
      ]);
      if (coming.length === 0) return;
      await models.given(...coming);
      expect(await unavailable()).toEqual(there);
    },
  );
});

describe('an edited post', () => {
  test('shows its newest text, with the application and time of the last edit', async () => {
    await models.given(some.post('p1'), some.edit('p1'));
    await models.given(some.edit('p1', { appId: 'editor', text: 'newest', revision: 3, at: 9_000 }));
    expect(await post('p1')).toEqual({
      id: 'p1',
      authorActorId: 'ada',
      text: 'newest',
      audience: 'public',
      revision: 3,
      createdAt: 2_000,
      originApp: { id: 'app', name: 'Reader' },
      edited: true,
      lastEditAppId: 'editor',
      lastEditAt: 9_000,
    });
  });

  test('never returns to an older text', async () => {
    await models.given(some.post('p1'), some.edit('p1', { text: 'newest', revision: 3 }), some.edit('p1'));
    expect(await post('p1')).toMatchObject({ text: 'newest', revision: 3 });
  });

  test('stays deleted, and leaves no text', async () => {
    await models.given(some.post('p1'), edit, some.deletion('p1'), some.edit('p1', { revision: 3 }));
    expect(await post('p1')).toBeNull();
    expect(await models.digest()).not.toContain('text of p1');
    expect((await models.ask(actorById, { actorId: 'ada' }))?.posts).toBe(0);
  });

  test('remains a reply', async () => {
    await models.given(some.post('p1'), reply('r1', 'p1'), some.edit('r1'));
    const page = await models.ask(repliesOf, { postId: 'p1', scan: 10, after: undefined });
    expect(page?.items).toMatchObject([
      { item: { id: 'r1', edited: true, parentId: 'p1', parentUnavailable: false } },
    ]);
  });

  test('is hidden once its text cannot be decrypted', async () => {
    await models.given(some.post('p1'));
    await models.givenOfErasedPerson(some.edit('p1', { text: '' }));
    expect(await post('p1')).toBeNull();
    expect((await models.ask(actorById, { actorId: 'ada' }))?.posts).toBe(0);
  });

  test('is the same for one batch as for single events, in any order', async () => {
    const created = some.post('p1');
    const later = [
      created,
      edit,
      some.edit('p1', { text: 'newest', revision: 3 }),
      deletion,
      some.post('p2'),
    ];
    const histories = array(constantFrom(...later), { maxLength: 8 });
    await assert(
      asyncProperty(histories, async (history) => {
        const [atOnce, oneByOne] = [await ReadModels.open(database), await ReadModels.open(database)];
        try {
          await atOnce.givenInOneBatch(created, ...history);
          await oneByOne.given(created, ...history);
          expect(await atOnce.digest()).toBe(await oneByOne.digest());
        } finally {
          await Promise.all([atOnce.close(), oneByOne.close()]);
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe('the posts of an actor', () => {
  const postsBy = (actorId: string, page: Partial<PageArgs> = {}, as?: string) =>
    models.ask(postsOf, { actorId, scan: 10, after: undefined, ...page }, as);
  const idsOf = (page: ScannedPage<Post> | null) => page?.items.map(({ item }) => item.id);

  test('include replies, newest first, a page at a time', async () => {
    await models.given(some.post('p1'), some.post('b1', { authorActorId: 'bob' }), some.post('p3'));
    await models.given(reply('p2', 'b1'), some.edit('p1'));
    const first = await postsBy('ada', { scan: 2 });
    expect(idsOf(first)).toEqual(['p2', 'p3']);
    const second = await postsBy('ada', { scan: 2, after: first?.last ?? undefined });
    expect(idsOf(second)).toEqual(['p1']);
    expect(second?.last).toBeNull();
  });

  test('omit deleted ones', async () => {
    await models.given(some.post('p1'), some.post('p2'), deletion);
    expect(idsOf(await postsBy('ada'))).toEqual(['p2']);
  });

  test('are null for an actor that the caller cannot see', async () => {
    await models.given(some.post('p1'));
    expect(await postsBy('nobody')).toBeNull();
    expect(await postsBy('bob')).toEqual({ items: [], last: null });
    await models.given(some.block('ada', 'bob'), some.suspension('bob'));
    expect(await postsBy('ada', {}, 'bob')).toBeNull();
    expect(await postsBy('bob')).toBeNull();
    expect(idsOf(await postsBy('ada'))).toEqual(['p1']);
  });
});
